import LiveStore

/// An operation on a list of one row.
enum ListEdit {
  case append(JSONValue)
  case insert(JSONValue, at: Int)
  case set(JSONValue, at: Int)
  case remove(at: Int)
  /// Takes out at `from`, then puts in at `to`.
  case move(from: Int, to: Int)
  case swap(Int, Int)
  case clear

  init(_ operation: JSONValue) throws(CaseFailure) {
    switch try operation.text("op") {
    case "list_append": self = .append(operation["value"])
    case "list_insert": self = .insert(operation["value"], at: try operation.integer("index"))
    case "list_set": self = .set(operation["value"], at: try operation.integer("index"))
    case "list_remove": self = .remove(at: try operation.integer("index"))
    case "list_move": self = .move(from: try operation.integer("from"), to: try operation.integer("to"))
    case "list_swap":
      let names = [("a", "b"), ("i", "j"), ("from", "to"), ("index1", "index2")]
      let indices = names.lazy.compactMap { first, second -> (Int, Int)? in
        guard let first = operation[first].integer, let second = operation[second].integer else { return nil }
        return (first, second)
      }
      guard let (first, second) = indices.first else {
        throw .malformed("\(operation.shortened) names no two indices")
      }
      self = .swap(first, second)
    case "list_clear": self = .clear
    case let word: throw .malformed("there is no operation \(word)")
    }
  }

  func apply<List: RangeReplaceableCollection & MutableCollection>(
    to list: inout List, _ make: (JSONValue) throws -> List.Element
  ) throws where List.Index == Int {
    switch self {
    case .append(let value): list.append(try make(value))
    case .insert(let value, let index): list.insert(try make(value), at: try check(index, list.count + 1))
    case .set(let value, let index): list[try check(index, list.count)] = try make(value)
    case .remove(let index): list.remove(at: try check(index, list.count))
    case .move(let from, let to):
      let element = list.remove(at: try check(from, list.count))
      list.insert(element, at: try check(to, list.count + 1))
    case .swap(let first, let second):
      list.swapAt(try check(first, list.count), try check(second, list.count))
    case .clear: list.removeAll()
    }
  }

  /// The same through the functions of a list of references, entries of which have an identity.
  func apply<Target>(toList list: inout RefList<Target>, _ make: (JSONValue) throws -> Ref<Target>) throws {
    if case .move(let from, let to) = self {
      list.move(from: try check(from, list.count), to: try check(to, list.count))
    } else {
      try apply(to: &list, make)
    }
  }

  private func check(_ index: Int, _ count: Int) throws(CaseFailure) -> Int {
    guard index >= 0, index < count else { throw .malformed("there is no index \(index) below \(count)") }
    return index
  }
}
