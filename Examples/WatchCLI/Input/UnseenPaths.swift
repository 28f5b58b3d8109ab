import LiveStore

/// A path that an option names.
package struct NamedPath: Hashable, Sendable {
  /// The names and indices of the path.
  package let steps: [String]
  /// True if it is alone on the right of a comparison, like text without its quotes.
  package let isBareWord: Bool

  /// A path of these steps.
  package init(steps: [String], isBareWord: Bool = false) {
    (self.steps, self.isBareWord) = (steps, isBareWord)
  }

  fileprivate var text: String { steps.joined(separator: ".") }
}

/// The paths that the filter and the order name and no object has had so far: most of them are misspelt.
package struct UnseenPaths {
  /// How many paths are tracked, and how many are named at the end.
  private static let limit = (sought: 64, named: 8, objects: 1_000)

  private var paths: [NamedPath]
  /// The paths of the first objects that were looked at.
  private var known = KnownPaths()

  /// Paths without a value so far; of very many, the first are tracked.
  package init(_ paths: [NamedPath] = []) {
    self.paths = Array(paths.prefix(Self.limit.sought))
  }

  /// Checks a further object.
  ///
  /// - Complexity: O(1) once all paths have been seen, else O(unseen paths).
  package mutating func look(at document: Document) {
    if paths.isEmpty { return }
    paths.removeAll { document.value(at: $0.steps) != nil }
    if !paths.isEmpty, known.objects < Self.limit.objects { known.add(document.body) }
  }

  /// The paths that neither the objects here nor those of another have.
  package func without(seenBy other: UnseenPaths) -> UnseenPaths {
    var rest = known.objects > 0 ? self : other
    rest.paths = paths.filter(other.paths.contains)
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

/// The paths that have a value in some objects.
private struct KnownPaths {
  /// How many objects they are of.
  private(set) var objects = 0
  /// The paths as they are written, in order of appearance.
  private var paths: [String] = []
  private var seen: Set<ComparedText> = []

  private static let limit = (count: 2_000, depth: 4)

  init() {}

  init(of object: JSONValue) { add(object) }

  mutating func add(_ object: JSONValue) {
    objects += 1
    collect(object, after: "", depth: 1)
  }

  private mutating func collect(_ value: JSONValue, after prefix: String, depth: Int) {
    guard case .object(let object) = value else { return }
    for (key, value) in object {
      if seen.count >= Self.limit.count { return }
      let path = prefix + key
      // None that was meant is as long, and comparing it with others takes long.
      if path.utf8.count > 256 { continue }
      if seen.insert(ComparedText(path)).inserted { paths.append(path) }
      if depth < Self.limit.depth { collect(value, after: path + ".", depth: depth + 1) }
    }
  }

  /// The path that was probably meant by another: one that differs by few letters, ends in it, or begins alike.
  func nearest(to path: String) -> String? {
    let sought = path.lowercased()
    return NearestWord.find(path, in: paths)
      ?? paths.first { $0.lowercased().hasSuffix("." + sought) }  // By Character: it is a hint for people.
      ?? paths.first { sought.count >= 3 && $0.lowercased().hasPrefix(sought) }
  }
}
