import LiveStore

/// The last word before the cursor of a command line, which a shell completes.
struct CommandLineEnd {
  /// The option whose argument it is a part of, if there is one.
  private let option: ToolOption?
  /// The last word, of a list its last element.
  private let word: String
  /// What else the command line asks for.
  private let options: WatchOptions

  /// How much of each file is looked at.
  private static let limit = (bytes: 1 << 18, objects: 100)

  /// A command line, of which the cursor is between two texts.
  init(before: String, after: String) {
    // A letter at the cursor shows the last word, also where it is empty.
    var words = ShellWords(before + "x").words.dropFirst()
    let last = String((words.popLast() ?? "x").unicodeScalars.dropLast())
    var parts = last.parts(at: "=", maxSplits: 1)
    if !last.hasPrefix("-") {
      parts = [words.last ?? "", last]
      if ToolOption.named(parts[0])?.isValued == true { words.removeLast() }
    }
    option = parts.count > 1 ? ToolOption.named(parts[0]) : nil
    word = parts[parts.count - 1].unquotedParts(at: ",").last ?? ""
    options = WatchOptions(draft: words + ShellWords(after).words)
  }

  /// How the word may go on: the paths of the objects in the files, or the names of queries. Nothing if that cannot be said.
  var continuations: [String] {
    let found: [String]
    switch option?.completion {
    case .paths: found = paths
    case .queries: found = (try? QueryFile(options.queriesPath).names) ?? []
    case .choice, .files, .some(.none), nil: return []
    }
    // What a terminal may not be sent is not offered.
    return found.filter { $0.utf8.starts(with: word.utf8) && $0.escapingInvisibles == $0 }
  }

  private var paths: [String] {
    // An order and columns of groups name the values of groups.
    if let groups = options.groups, ["--sort", "--columns"].contains(option?.name) { return groups.titles }
    var rules = InputRules(key: .line, envelope: options.envelope)
    (rules.format, rules.encoding, rules.rows) = (options.format, options.encoding, options.rows)
    var known = KnownPaths()
    for file in options.files where file != "-" {
      for document in Self.documents(of: file, rules) { known.add(document.body) }
    }
    return known.paths
  }

  /// The first objects of a regular file.
  private static func documents(of name: String, _ rules: InputRules) -> ArraySlice<Document> {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit.bytes, alignment: 16)
    defer { buffer.deallocate() }
    guard InputFile.size(of: [name]) != nil, let file = try? InputFile(name),
      let count = try? file.read(into: buffer)
    else { return [] }
    var (reader, changes) = (DocumentReader(file: name, rules: rules), [InputChange]())
    reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &changes) { _ in true }
    if count < limit.bytes { reader.read(nil, into: &changes) { _ in true } }
    return changes.flatMap(\.parts).compactMap(\.document).prefix(limit.objects)
  }
}
