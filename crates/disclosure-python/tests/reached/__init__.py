"""How each code of the product is reached from Python: a call that raises it, in a directory of its
own. `test_codes` runs them all."""
