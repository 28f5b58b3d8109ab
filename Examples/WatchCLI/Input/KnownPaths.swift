import LiveStore

/// The paths that have a value in some objects.
struct KnownPaths {
  /// How many objects they are of.
  private(set) var objects = 0
  /// The paths as they are written, in order of appearance.
  private(set) var paths: [String] = []
  private var seen: Set<ComparedText> = []

  private static let limit = (count: 2_000, depth: 4)

  /// No paths.
  init() {}

  /// The paths of an object.
  init(of object: JSONValue) { add(object) }

  /// Adds the paths of an object.
  mutating func add(_ object: JSONValue) {
    objects += 1
    collect(object, after: [])
  }

  private mutating func collect(_ value: JSONValue, after steps: [String]) {
    guard case .object(let object) = value else { return }
    for (key, value) in object {
      if seen.count >= Self.limit.count { return }
      let steps = steps + [key]
      let path = KeyPathText(steps: steps).description
      // None that was meant is as long, and comparing it with others takes long.
      if path.utf8.count > 256 { continue }
      if seen.insert(ComparedText(path)).inserted { paths.append(path) }
      if steps.count < Self.limit.depth { collect(value, after: steps) }
    }
  }

  /// The path that was probably meant by another: one that is a name with the same points, differs by few letters, ends in it,
  /// or begins alike.
  func nearest(to path: String) -> String? {
    let paths = paths.filter { $0 != path }
    let sought = path.lowercased()
    let name = KeyPathText(steps: [path]).description
    return paths.first { $0 == name } ?? NearestWord.find(path, in: paths)
      ?? paths.first { $0.lowercased().hasSuffix("." + sought) }  // By Character: it is a hint for people.
      ?? paths.first { sought.count >= 3 && $0.lowercased().hasPrefix(sought) }
  }
}
