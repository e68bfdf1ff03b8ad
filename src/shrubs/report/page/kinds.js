// How the figures of each kind are drawn: all those of a section at once, in one card or several.

const KINDS = {
  lines: linesCard,
  points: pointsCard,
  matrix: matrixCard,
  bands: bandsCard,
  diagram: diagramCards,
};
