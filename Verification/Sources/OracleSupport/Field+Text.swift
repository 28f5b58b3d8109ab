import Foundation
import LiveStore

extension Field {
  /// Searches in a text: `beginsWith`, `endsWith`, `contains`, with and without options.
  static func text(
    _ name: String, _ path: FieldPath<Element, String>,
    _ value: @escaping @Sendable (Element, Model) -> String
  ) -> Field {
    var field = Field(
      name: name, isLinked: false, value: { value($0, $1).canon }, track: { $0.tracking(path) })
    field.condition = { random, palette, _ in
      let (search, probe, fold) = probe(&random, palette)
      var options: TextOptions = []
      if fold.contains(.caseInsensitive) { options.insert(.caseInsensitive) }
      if fold.contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
      let chosen = options
      return Condition(
        text: "\(name).\(search)(\(probe.canon), \(options))",
        make: { row in
          switch search {
          case .prefix: row[keyPath: path].beginsWith(probe, options: chosen)
          case .suffix: row[keyPath: path].endsWith(probe, options: chosen)
          case .part: row[keyPath: path].contains(probe, options: chosen)
          }
        },
        test: { Texts.answer(search, probe, in: value($0, $1), fold: fold) ?? false })
    }
    return field
  }

  /// A search that has one answer for each of the texts.
  private static func probe(
    _ random: inout Randomness, _ palette: Palette
  ) -> (Texts.Search, String, String.CompareOptions) {
    let all = palette.texts + (0..<4).map { "team \($0)" }
    for _ in 0..<20 {
      let search = random.pick(Texts.Search.allCases)
      let fold: String.CompareOptions = random.pick([
        [], [], .caseInsensitive, .diacriticInsensitive,
        [.caseInsensitive, .diacriticInsensitive],
      ])
      var probe = random.pick(all)
      if random.percent(50) { probe = String(probe.prefix(random.below(4))) }
      if all.allSatisfy({ Texts.answer(search, probe, in: $0, fold: fold) != nil }) {
        return (search, probe, fold)
      }
    }
    return (.prefix, "a", [])
  }
}
