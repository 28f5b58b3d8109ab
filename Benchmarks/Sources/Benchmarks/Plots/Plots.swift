import Foundation

/// The plots of a report: one file for each scene, with a panel for each piece of work that was measured at several
/// sizes.
struct Plots {
  private let report: Report

  init(_ report: Report) { self.report = report }

  func write(into folder: String) throws {
    let directory = URL(fileURLWithPath: folder)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for scene in Scene.all {
      let panels = panels(of: report.figures.filter { $0.scene == scene.name })
      if panels.isEmpty { continue }
      let sheet = PlotSheet(title: scene.summary, note: report.machine.description, panels: panels)
      try sheet.svg.write(toFile: "\(folder)/\(scene.name).svg", atomically: true, encoding: .utf8)
    }
  }

  private func panels(of figures: [Figure]) -> [Panel] {
    var works: [String] = []
    for figure in figures where !works.contains(figure.work) { works.append(figure.work) }
    return works.compactMap { work in
      let figures = figures.filter { $0.work == work }.sorted { $0.parameterValue < $1.parameterValue }
      guard figures.count > 1 else { return nil }
      return Panel(
        title: work, axis: figures[0].parameter ?? "rows", unit: figures[0].unit, series: series(of: figures))
    }
  }

  private func series(of figures: [Figure]) -> [Panel.Series] {
    var names: [String] = []
    for entry in figures.flatMap(\.entries) where !names.contains(entry.name) { names.append(entry.name) }
    return names.map { name in
      Panel.Series(
        name: name,
        points: figures.compactMap { figure in
          figure.entries.first { $0.name == name }.map { (Double(figure.parameterValue), $0.cost) }
        })
    }
  }
}
