"""What each topic says, read off the shoe and its journal."""
