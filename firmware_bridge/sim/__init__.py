"""A table without hardware: deal scripts, their replay, and the stage of `shoe demo`."""
