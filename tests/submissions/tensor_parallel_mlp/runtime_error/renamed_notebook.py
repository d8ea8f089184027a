{"cells": [{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": ["import jax\n"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
