import LiveStore

/// Where the values of rows with the same names stand in their objects, as JSON is written.
///
/// ```
/// names    id  owner.name  x  owner.age          with paths in the names
/// steps    "id":0  "owner":{ "name":1 "age":3 }  "x":2
/// ```
/// A name is the key of a member of the object. If names are paths, they lead to members of objects within it; a name stays a
/// key where it cannot be a path (`No.`), and where another value stands on the way: of `a` and `a.b`, none is lost.
struct RowLayout {
  enum Step {
    /// The value of a column, behind its key.
    case value(column: Int, key: Range<Int>)
    /// An object begins, which is left out if none of its members has a value.
    case begin(key: Range<Int>)
    case end
  }

  /// How a value is typed.
  enum Kind {
    /// What it looks like.
    case any
    case text
    /// A number wherever it can be.
    case number
  }

  private(set) var steps: [Step] = []
  /// Those of the members that decide whether an object is needed; empty if too few others are left out by them.
  private(set) var decisive: [Step] = []
  /// The keys as JSON, each with its colon.
  private(set) var keys: [UInt8] = []
  private(set) var kinds: [Kind] = []
  /// The paths of the values, by their columns.
  let paths: [[String]]

  /// The layout of rows with these names; one that is empty is the number of its column, and one that others before it have
  /// gets a number: `a`, `a_2`.
  ///
  /// - Parameter decisive: the members that decide whether an object is needed; nil for all.
  /// - Complexity: O(length of the names) on average
  init(_ names: [String], _ rules: RowRules, decisive: Set<ComparedText>? = nil) {
    let names = Self.distinct(names)
    paths = rules.isNested ? Self.paths(names) : names.map { [$0] }
    kinds = paths.map { path in
      let path = KeyPathText(steps: path)
      return rules.texts.contains(path) ? .text : rules.numbers.contains(path) ? .number : .any
    }
    for member in Self.tree(of: paths).members {
      let start = steps.count
      add(member)
      if decisive?.contains(ComparedText(member.key)) == true { self.decisive += steps[start...] }
    }
    if self.decisive.count > steps.count / 2 { self.decisive = [] }
  }

  /// Names of which none is empty, and no two are equal.
  static func distinct(_ names: [String]) -> [String] {
    var known = Set(names.lazy.filter { !$0.isEmpty }.map(ComparedText.init))
    var (seen, numbers): (Set<ComparedText>, [ComparedText: Int]) = ([], [:])
    return names.enumerated().map { index, title in
      let name = title.isEmpty ? "\(index + 1)" : title
      let key = ComparedText(name)
      // A column without a name takes none from another.
      if title.isEmpty ? known.insert(key).inserted : seen.insert(key).inserted {
        seen.insert(key)
        return name
      }
      var (other, number) = (name, numbers[key] ?? 1)
      repeat {
        number += 1
        other = "\(name)_\(number)"
      } while !known.insert(ComparedText(other)).inserted
      numbers[key] = number
      seen.insert(ComparedText(other))
      return other
    }
  }

  private static func paths(_ names: [String]) -> [[String]] {
    let known = Set(names.map(ComparedText.init))
    return names.map { name in
      // As options read it, but for brackets: `temp[0]` is a name.
      let steps = name.parts(at: ".")
      guard steps.count < JSONValue.maximumDepth, KeyPathText(name)?.steps == steps else { return [name] }
      var prefix = ""
      for step in steps.dropLast() {
        prefix += (prefix.isEmpty ? "" : ".") + step
        if known.contains(ComparedText(prefix)) { return [name] }
      }
      return steps
    }
  }

  /// The members of an object, in the order in which they first occur.
  private final class Node {
    var members: [Member] = []
    var places: [ComparedText: Int] = [:]
  }

  private typealias Member = (key: String, column: Int?, node: Node?)

  private static func tree(of paths: [[String]]) -> Node {
    let root = Node()
    for (column, path) in paths.enumerated() {
      var node = root
      for (depth, step) in path.enumerated() {
        let isLast = depth == path.count - 1
        if !isLast, let place = node.places[ComparedText(step)], let next = node.members[place].node {
          node = next
          continue
        }
        let next = isLast ? nil : Node()
        if !isLast { node.places[ComparedText(step)] = node.members.count }
        node.members.append((step, isLast ? column : nil, next))
        node = next ?? node
      }
    }
    return root
  }

  /// Paths are no deeper than JSON may be.
  private mutating func add(_ member: Member) {
    let start = keys.count
    JSONValue.string(member.key).write(to: &keys)
    keys.append(UInt8(ascii: ":"))
    if let column = member.column { steps.append(.value(column: column, key: start..<keys.count)) }
    guard let node = member.node else { return }
    steps.append(.begin(key: start..<keys.count))
    for member in node.members { add(member) }
    steps.append(.end)
  }
}
