"""What a site needs in the world: an address, a list of its pages, who made it and what is new."""
