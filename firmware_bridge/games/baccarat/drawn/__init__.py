"""The roads of a shoe as pictures: SVG and PNG, in three languages."""
