"""The core: a theory of agents is data and functions, and everything latent is a named axis."""
