"""What modellers need around the core: worlds that are drawn or adopted, fitting, comparing."""
