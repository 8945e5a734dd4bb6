"""Everything a manifest is held to: rules and the checks that apply them, by subject."""
