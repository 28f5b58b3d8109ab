import Foundation

/// The figures of a run.
struct Report: Codable {
  let machine: Machine
  let figures: [Figure]

  init(machine: Machine, figures: [Figure]) {
    self.machine = machine
    self.figures = figures
  }

  /// Joins reports; a figure of a later file replaces that of an earlier one.
  ///
  /// - Parameter isChosen: whether the figures of a scene are wanted.
  init(reading paths: [String], where isChosen: (String) -> Bool) throws {
    let reports = try paths.map { path in
      try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }
    var figures: [Figure] = []
    for figure in reports.flatMap(\.figures) where isChosen(figure.scene) {
      if let index = figures.firstIndex(where: { $0.isSameWork(as: figure) }) {
        figures[index] = figure
      } else {
        figures.append(figure)
      }
    }
    machine = reports[reports.count - 1].machine
    self.figures = figures
  }

  func writeJSON(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }
}

extension Figure {
  func isSameWork(as other: Figure) -> Bool {
    scene == other.scene && work == other.work && rows == other.rows && parameterValue == other.parameterValue
  }
}
