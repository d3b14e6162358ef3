// A shader for every card of models/cards.md3. "cutout" and "gloss" have none on purpose: what they
// wear are the pictures that their skin file names.

cards/opaque
{
	qer_editorimage cards/graded.tga
	{
		map cards/graded.tga
	}
}

cards/lit
{
	{
		map cards/graded
		rgbGen lightingDiffuse
	}
}

cards/add { { map cards/graded.tga
	blendFunc add } }

CARDS\FILTER.tga
{
	{
		map cards/graded.tga
		blendFunc filter
	}
}

cards/blend
{
	{
		map cards/graded.tga
		blendFunc GL_SRC_ALPHA GL_ONE_MINUS_SRC_ALPHA
		rgbGen lightingDiffuse
	}
}

cards/darken
{
	{
		map cards/graded.tga
		blendFunc GL_ZERO GL_ONE_MINUS_SRC_COLOR
	}
}

cards/gt0
{
	{
		map cards/graded.tga
		alphaFunc GT0
	}
}

cards/lt128
{
	{
		map cards/graded.tga
		alphaFunc LT128
	}
}

cards/ge128
{
	{
		map cards/graded.tga
		alphaFunc GE128
		rgbGen lightingDiffuse
	}
}

cards/screen
{
	{
		map cards/graded.tga
		blendFunc GL_ONE_MINUS_DST_COLOR GL_ONE
	}
}

cards/premixed
{
	{
		map cards/graded.tga
		blendFunc GL_SRC_ALPHA GL_ONE
		alphaFunc GE128
	}
}

cards/clamp
{
	{
		clampMap cards/graded.tga
		tcMod transform 2 0 0 2 -0.5 -0.5
	}
}

cards/wave
{
	{
		map cards/graded.tga
		rgbGen wave sin 0.5 0.5 0 0.5
	}
}

cards/const
{
	{
		map cards/graded.tga
		rgbGen const ( 1 0.5 0.25 )
	}
}

cards/alphaconst
{
	{
		map cards/one.tga
		blendFunc blend
		alphaGen const 0.5
	}
}

cards/alphawave
{
	{
		map cards/two.tga
		blendFunc blend
		alphaGen wave triangle 0.5 0.5 0 0.25
	}
}

cards/environment
{
	{
		map cards/mirror.tga
		tcGen environment
	}
}

cards/animmap
{
	{
		animMap 2 cards/one.tga cards/two.tga cards/three.tga
	}
}

cards/scroll
{
	{
		map cards/graded.tga
		tcMod scroll 0.5 -0.25
	}
}

cards/scale
{
	{
		map cards/graded.tga
		tcMod scale 2 3
	}
}

cards/rotate
{
	{
		map cards/graded.tga
		tcMod rotate 60
	}
}

cards/stretch
{
	{
		map cards/graded.tga
		tcMod stretch sin 1 0.5 0 0.4
	}
}

cards/turb
{
	{
		map cards/graded.tga
		tcMod turb 0 0.2 0 0.5
	}
}

cards/transform
{
	{
		map cards/graded.tga
		tcMod transform 1 0.5 -0.5 1 0.25 0
	}
}

cards/twosided
{
	cull none
	{
		map cards/graded.tga
		rgbGen lightingDiffuse
	}
}

cards/nodraw
{
	surfaceparm nodraw
	{
		map cards/graded.tga
	}
}

// Chrome below a skin with alpha, and a glow on top.
cards/stages
{
	{
		map cards/mirror.tga
		tcGen environment
	}
	{
		map cards/graded.tga
		blendFunc blend
		rgbGen lightingDiffuse
	}
	{
		map cards/three.tga
		blendFunc GL_ONE GL_ONE
		rgbGen wave square 0.25 0.25 0 1
		tcMod scale 0.5 0.5
	}
}

// "late" comes first in the file and is drawn last: it blends over what "sorted" has drawn.
cards/sorted
{
	{
		map $whiteimage
		blendFunc blend
		rgbGen const ( 0.9 0.2 0.2 )
		alphaGen const 0.75
	}
}

cards/late
{
	sort nearest
	{
		map cards/two.tga
		blendFunc add
		depthWrite
	}
}
