import Foundation
import LiveStore

/// A file of named queries, each with the options of a command line: `NAME: OPTIONS`.
///
/// A line that begins with `#` is a comment, and one that ends in a backslash goes on in the next.
package struct QueryFile {
  private struct Entry {
    let name: String
    let options: String
    /// The number of its first line.
    let line: Int
  }

  private let path: String
  private var entries: [Entry] = []

  /// How many bytes a file may have.
  private static let longest = 1 << 20

  /// Reads a file.
  init(_ path: String) throws(Exit) {
    self.path = path
    var (number, entry, first) = (0, "", 1)
    for line in try Self.text(of: path).parts(at: "\n") {
      number += 1
      var scalars = line.unicodeScalars[...]
      if scalars.last == "\r" { scalars.removeLast() }
      if entry.isEmpty {
        if scalars.drop(while: Self.isBlank).first.map({ $0 == "#" }) ?? true { continue }
        first = number
      }
      // A backslash behind another is a character.
      let goesOn = scalars.reversed().prefix { $0 == "\\" }.count % 2 == 1
      entry.unicodeScalars += goesOn ? scalars.dropLast() : scalars
      if goesOn { continue }
      try add(entry, first)
      entry = ""
    }
    if !entry.isEmpty { try add(entry, first) }
  }

  /// Where the file is if none is named.
  package static func standardPath(_ environment: [String: String]) throws(Exit) -> String {
    if let folder = environment["XDG_CONFIG_HOME"], folder.utf8.first == UInt8(ascii: "/") {
      return "\(folder)/livestore-watch/queries"
    }
    guard let home = environment["HOME"], !home.isEmpty else {
      throw .usage("--query needs --queries FILE where HOME is not set")
    }
    return "\(home)/.config/livestore-watch/queries"
  }

  /// The names in the order of the file.
  var names: [String] { entries.map(\.name) }

  /// The arguments that a query stands for, and where it is in the file.
  func query(_ name: String) throws(Exit) -> (arguments: [String], place: String) {
    let found = entries.filter { ComparedText($0.name) == ComparedText(name) }
    guard let entry = found.first else {
      throw .usage("\(path) has no query \(name)\(OptionArgument.suggestion(for: name, in: names))")
    }
    if found.count > 1 {
      throw .usage("\(path):\(found[1].line): there is a query \(name) in line \(entry.line) already")
    }
    let words = ShellWords(entry.options)
    let place = "\(path):\(entry.line)"
    if let mark = words.openMark { throw .usage("\(place): the quotation mark \(mark) is not closed") }
    return (words.words, place)
  }

  private mutating func add(_ text: String, _ line: Int) throws(Exit) {
    let parts = text.parts(at: ":", maxSplits: 1)
    let names = ShellWords(parts[0]).words
    guard parts.count == 2, names.count == 1 else { throw .usage("\(path):\(line): expected NAME: OPTIONS") }
    entries.append(Entry(name: names[0], options: parts[1], line: line))
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

  private static func text(of path: String) throws(Exit) -> String {
    let file = try InputFile(path)
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while bytes.count <= longest {
      let count = try file.read(into: buffer)
      if count == 0 {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
        guard let text = String(validating: content, as: UTF8.self) else {
          throw .usage("\(path): not UTF-8")
        }
        return text
      }
      bytes += buffer[..<count]
    }
    throw .usage("\(path): queries have up to \(longest) bytes")
  }
}

extension WatchOptions {
  /// The file of named queries.
  var queriesPath: String {
    get throws(Exit) {
      if let queriesFile { return queriesFile }
      return try QueryFile.standardPath(ProcessInfo.processInfo.environment)
    }
  }
}
