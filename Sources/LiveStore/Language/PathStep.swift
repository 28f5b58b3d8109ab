/// A step to a value that is found by a name or a number when it is read.
package enum PathStep: Hashable, Sendable {
  /// A property, or a key of a JSON object or a dictionary.
  case name(String)
  /// An element of a list, from 0.
  case index(Int)
  /// The last element of a list.
  case last
  /// The value under a key.
  case key(String)
  /// `[*]`, all values of a dictionary or list.
  case every
  /// A function of several values.
  case aggregate(CollectionFunction)
  /// A property whose name is an argument, `%K`, not yet replaced.
  case argument(Int)
}

extension PathStep: CustomStringConvertible {
  package var description: String {
    switch self {
    case .name(let name): name
    case .index(let index): "[\(index)]"
    case .last: "[last]"
    case .key(let key): "[\(String(reflecting: key))]"
    case .every: "[*]"
    case .aggregate(let aggregate): "@\(aggregate.rawValue)"
    case .argument(let number): "$K\(number)"
    }
  }
}
