/// A path of a text filter: `address.city`, `$x.price`, `scores[0]`, `items.@sum.price`.
package struct FilterPath: Hashable, Sendable {
  /// The variable that the path begins with; nil for a path of the row.
  package var variable: String?
  /// The steps from the row, or from the variable's value.
  package var steps: [PathStep]

  /// A path of these steps.
  package init(_ steps: [PathStep], variable: String? = nil) {
    (self.steps, self.variable) = (steps, variable)
  }

  /// A path of names.
  package init(_ names: [String]) { self.init(names.map { .name($0) }) }
}

extension FilterPath {
  /// The names of the steps, if it is a path of the row that consists of names.
  package var names: [String]? {
    guard variable == nil else { return nil }
    var names: [String] = []
    for step in steps {
      guard case .name(let name) = step else { return nil }
      names.append(name)
    }
    return names
  }

  /// Whether a function of several values is part of it.
  var hasAggregate: Bool { steps.contains { if case .aggregate = $0 { true } else { false } } }

  /// The names that it begins with.
  var leadingNames: [String] {
    var names: [String] = []
    for step in steps {
      guard step.isPlainName, case .name(let name) = step else { break }
      names.append(name)
    }
    return names
  }
}

extension PathStep {
  /// Whether it is a name that is read in one go with a name behind it.
  fileprivate var isPlainName: Bool { if case .name(let name) = self { name != "@links" } else { false } }
}

extension FilterPath: CustomStringConvertible {
  /// The path as it could be written.
  package var description: String {
    var text = variable.map { "$\($0)" } ?? ""
    let leadingCount = leadingNames.count
    if variable == nil, steps.isEmpty { return "SELF" }
    let isHashed = variable == nil && FilterWords.needHash(leadingNames)
    if isHashed { text = "#" }
    for (index, step) in steps.enumerated() {
      let isFirst = index == 0 && variable == nil
      switch step {
      case .name("@links"): text += (isFirst ? "" : ".") + "@links"
      case .name(let name):
        let isLeading = index < leadingCount
        text +=
          (isFirst ? "" : ".")
          + FilterWords.written(
            name, isHashed: isHashed && isLeading, beginsToken: !isLeading && !steps[index - 1].isPlainName)
      case .index(let index): text += "[\(index)]"
      case .last: text += "[last]"
      case .key(let key): text += "[\(JSONValue.string(key))]"
      case .every: text += "[*]"
      case .aggregate(let aggregate): text += (isFirst ? "" : ".") + "@\(aggregate.rawValue)"
      case .argument(let number): text += (isFirst ? "" : ".") + "$K\(number)"
      }
    }
    return text
  }
}
