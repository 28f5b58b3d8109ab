import LiveStore

/// A path that an option names.
package struct NamedPath: Hashable, Sendable {
  /// The names and indices of the path.
  package let steps: [String]
  /// True if it is alone on the right of a comparison, like text without its quotes.
  package let isBareWord: Bool
  /// True if numbers are compared with numbers there, or added, and text with text.
  package let isCompared: Bool
  /// The kind of the values that filters compare with those there; nil for none, and for several.
  package let kind: ValueKind?
  /// Whether numbers are totalled there, and nothing else.
  let isTotal: Bool

  /// A path of these steps.
  package init(
    steps: [String], isBareWord: Bool = false, isCompared: Bool = false, kind: ValueKind? = nil,
    total isTotal: Bool = false
  ) {
    (self.steps, self.isBareWord, self.isCompared) = (steps, isBareWord, isCompared)
    (self.kind, self.isTotal) = (isTotal ? .number : kind, isTotal)
  }

  fileprivate var text: String { KeyPathText(steps: steps).description }
}

/// The paths that the filter and the order name and no object has had so far: most of them are misspelt. Of those that are
/// compared, also how many objects have numbers there, how many text and how many Booleans: they are never equal, nor beside
/// each other in order.
package struct UnseenPaths {
  /// How many paths are tracked, and how many are named at the end.
  private static let limit = (sought: 64, named: 8, objects: 1_000)

  private var paths: [NamedPath]
  /// The paths of the first objects that were looked at.
  private var known = KnownPaths()

  /// How many objects have a value of each kind at each path that is compared, by the numbers of the kinds.
  private var kinds: [(path: NamedPath, counts: [Int])]

  /// Paths without a value so far; of very many, the first are tracked.
  package init(_ paths: [NamedPath] = []) {
    self.paths = Array(paths.prefix(Self.limit.sought))
    kinds = paths.filter(\.isCompared).prefix(Self.limit.sought).map {
      ($0, ValueKind.allCases.map { _ in 0 })
    }
  }

  /// The paths that are compared.
  var comparedPaths: [[String]] { kinds.map(\.path.steps) }

  /// Whether nothing but those paths is looked for.
  var isComplete: Bool { paths.isEmpty }

  /// Checks a further object.
  ///
  /// - Complexity: O(paths that are compared or have not been seen)
  package mutating func look(at document: Document) {
    if !kinds.isEmpty { document.withObject { count($0) } }
    if paths.isEmpty { return }
    paths.removeAll { path in document.withObject { $0.range(at: path.steps) } != nil }
    if !paths.isEmpty, known.objects < Self.limit.objects { known.add(document.body) }
  }

  private mutating func count(_ object: JSONText) {
    for index in kinds.indices {
      guard let value = object.text(at: kinds[index].path.steps) else { continue }
      if let kind = ValueKind(value.bytes) { kinds[index].counts[kind.rawValue] += 1 }
    }
  }

  /// A line for each path that is compared with values of another kind than most objects have there, or at which some objects
  /// have numbers and others text.
  package func mixedKinds(readAs format: InputFormat) -> [String] {
    let lines = kinds.lazy.compactMap { Self.line($0, $1, readAs: format) }
    return Array(lines.prefix(Self.limit.named))
  }

  private static func line(_ path: NamedPath, _ counts: [Int], readAs format: InputFormat) -> String? {
    let (numbers, texts) = (counts[ValueKind.number.rawValue], counts[ValueKind.text.rawValue])
    let isOther = path.kind.map { kind in counts.contains { $0 > counts[kind.rawValue] } } ?? false
    guard isOther || numbers > 0 && texts > 0 else { return nil }
    let found = ValueKind.allCases.filter { counts[$0.rawValue] > 0 }.enumerated().map { index, kind in
      let count = counts[kind.rawValue]
      return "\(kind.noun) in \(count)" + (index > 0 ? "" : count == 1 ? " object" : " objects")
    }
    let use = path.isTotal ? "totalled as" : "compared with"
    let compared = path.kind.flatMap { isOther ? " is \(use) \($0.noun), and" : nil } ?? ""
    // Text is what can be made of every field.
    let isMended = format != .json && numbers > 0 && (!isOther || path.kind == .text)
    return "\(path.text)\(compared) is \(found.joined(separator: " and "))"
      + (isMended ? "; --text \(path.text) makes all of them text" : "")
  }

  /// What the objects here and those of another have together.
  package func without(seenBy other: UnseenPaths) -> UnseenPaths {
    var rest = known.objects > 0 ? self : other
    rest.paths = paths.filter(other.paths.contains)
    rest.kinds = zip(kinds, other.kinds).map { ($0.path, zip($0.counts, $1.counts).map(+)) }
    return rest
  }

  /// A line for each of the first paths, and one for how many more there are, with the one that was probably
  /// meant, of those that the first objects have: `no object has statsu (did you mean status?)`.
  package var hints: [String] {
    if paths.isEmpty { return [] }
    let more = paths.count - Self.limit.named
    return paths.prefix(Self.limit.named).map { path in
      let meant = known.nearest(to: path.text).map { "did you mean \($0)?" }
      let quotes = path.isBareWord ? "text is written in quotes: '\(path.text)'" : nil
      let hints = [quotes, meant].compactMap { $0 }
      return "no object has \(path.text)" + (hints.isEmpty ? "" : " (\(hints.joined(separator: "; ")))")
    } + (more > 0 ? ["nor has any object \(more) more of the paths that are named"] : [])
  }
}

extension KeylessObjects {
  /// A hint about objects without the key, if there were any: the keys that they have.
  package func hint(for key: ObjectKey) -> String? {
    guard case .object(let object) = example else { return nil }
    if key.paths.count == 1, let meant = KnownPaths(of: example).nearest(to: "\(key)") {
      return "no object has the key \(key); did you mean --key \(meant)?"
    }
    let shown = object.prefix(8).map { MessageText.line($0.key, maximum: 100) }
    let keys = shown.joined(separator: ", ") + (object.count > 8 ? ", …" : "")
    let found = object.isEmpty ? "the first is empty" : "the first has \(keys)"
    return "no object has the key \(key): \(found); choose one with --key, or say --no-key if every line "
      + "is an object of its own"
  }
}
