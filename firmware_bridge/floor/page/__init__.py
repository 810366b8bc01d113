"""The page of a floor: what all tables say, in browsers; `guest*` is the screen that guests see."""
