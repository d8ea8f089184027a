# verdict: CE
# Nothing but comments.
# TODO
