"""The runtime half: records that can be believed in the first place."""
