//! Where bytes come from: folders, and the textures that a model names.
