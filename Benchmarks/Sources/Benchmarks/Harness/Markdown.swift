import Foundation

/// Figures as tables of Markdown, one for each group of scenes.
struct Markdown {
  private let report: Report

  init(_ report: Report) { self.report = report }

  /// - Parameter folder: where plots may be, which are shown.
  private func text(beside folder: URL) -> String {
    var lines = ["Taken \(report.machine.description)."]
    for group in SceneGroup.all {
      let figures = group.scenes.flatMap { scene in report.figures.filter { $0.scene == scene.name } }
      if figures.isEmpty { continue }
      lines += ["", "### \(group.title)", ""]
      for scene in group.scenes { lines += plot(of: scene, in: folder) }
      lines += ["| Work | Size | LiveStore | Peers | Wanted |", "| --- | ---: | ---: | --- | --- |"]
      lines += figures.map(row)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Writes the file, or replaces what is between the lines `<!-- benchmarks -->` and `<!-- /benchmarks -->` in it.
  func write(to path: String) throws {
    let (start, end) = ("<!-- benchmarks -->", "<!-- /benchmarks -->")
    let text = text(beside: URL(fileURLWithPath: path).deletingLastPathComponent())
    var whole = text
    if let old = try? String(contentsOfFile: path, encoding: .utf8), let first = old.range(of: start),
      let last = old.range(of: end, range: first.upperBound..<old.endIndex)
    {
      whole = old[..<first.upperBound] + "\n" + text + old[last.lowerBound...]
    }
    try whole.write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func plot(of scene: Scene, in folder: URL) -> [String] {
    let name = "\(scene.name).svg"
    let isThere = FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
    return isThere ? ["![\(scene.summary)](\(name))", ""] : []
  }

  private func row(_ figure: Figure) -> String {
    let size =
      figure.parameter.map { "\(Table.grouped(figure.parameterValue)) \($0)" } ?? Table.grouped(figure.rows)
    let peers = figure.entries.dropFirst().enumerated().map { index, entry in
      let ratio =
        index < figure.ratios.count ? ": **\(Table.ratioText(figure.ratios[index].value.median))**" : ""
      return "\(entry.name) \(Table.shown(entry.cost.median, figure.unit))\(ratio)"
    }
    let bounds = figure.bounds.map { "\(Table.short($0, figure.unit)) \($0.holds ? "✓" : "✗")" }
    let cost = Table.shown(figure.entries[0].cost.median, figure.unit)
    return
      "| \(figure.work) | \(size) | \(cost) | \(peers.joined(separator: ", ")) | \(bounds.joined(separator: ", ")) |"
  }
}

extension Table {
  /// A bound in few words.
  static func short(_ bound: Figure.Bound, _ unit: Figure.Unit) -> String {
    switch bound.wanted {
    case .ratio(let limit, let peer): "\(ratioText(limit)) × \(peer)"
    case .cost(let limit): shown(limit, unit)
    }
  }
}

extension String {
  func write(toFile path: String, atomically: Bool, encoding: String.Encoding) throws {
    try write(to: URL(fileURLWithPath: path), atomically: atomically, encoding: encoding)
  }
}
