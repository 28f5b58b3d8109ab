package import LiveStore

/// A reason for which a commit is refused: an object that breaks a rule of its entity.
package struct ModelViolation: Sendable {
  package let object: ModelKey
  /// As in `ModelLink`.
  package let property: String
  /// What the error names: the id of a link's target, or a value that must be unique.
  package let value: String?
  /// The errors that describe it.
  package let codes: [StoreError.Code]

  /// Whether an error names this violation.
  package func isReported(by error: StoreError) -> Bool {
    error.entity == object.entity && error.id == "\(object.id)"
      && property == error.property.map { "\(object.entity).\($0)" } && error.value == value
      && codes.contains(error.code)
  }
}

extension ModelStore {
  /// Commits what was written since a version, and returns whether anything differs: whether it makes a version.
  ///
  /// In a table that holds the same objects in the same order, those that were deleted and inserted again have their
  /// former positions: they were never deleted.
  package mutating func commit(after before: ModelStore) -> Bool {
    var isChanged = false
    for number in tables.indices where !tables[number].keepPositions(of: before.tables[number]) {
      isChanged = true
    }
    return isChanged
  }

  /// What is wrong with this version for a store that held `before`. A commit is refused if there is anything, and
  /// reports one of them.
  package func violations(after before: ModelStore) -> [ModelViolation] {
    linkViolations(before) + rules.required.flatMap { emptyLinks($0) }
      + rules.unique.flatMap { duplicateValues(of: $0, before) }
  }

  private func linkViolations(_ before: ModelStore) -> [ModelViolation] {
    rows.flatMap { row in
      row.object.modelLinks.filter { !contains($0.target) }.map { link in
        let isRestricted = rules.deleteRule(link.property) == .restrict && before.contains(link.target)
        return ModelViolation(
          object: row.key, property: link.property, value: "\(link.target.id)",
          codes: isRestricted
            ? [StoreError.deleteRestricted, StoreError.missingLinkTarget] : [StoreError.missingLinkTarget])
      }
    }
  }

  private func emptyLinks(_ property: String) -> [ModelViolation] {
    rows(with: property).filter { row in !row.object.modelLinks.contains { $0.property == property } }.map {
      ModelViolation(object: $0.key, property: property, value: nil, codes: [StoreError.requiredLinkEmpty])
    }
  }

  /// Of the objects with one value, the error names one that was written.
  private func duplicateValues(of property: String, _ before: ModelStore) -> [ModelViolation] {
    var holders: [String: [(row: ModelRow, value: String)]] = [:]
    for row in rows(with: property) {
      if let value = row.object.uniqueValue(of: property) { holders[value, default: []].append((row, value)) }
    }
    return holders.values.filter { $0.count > 1 }.joined().filter { $0.row != before[$0.row.key] }.map {
      ModelViolation(
        object: $0.row.key, property: property, value: String(reflecting: $0.value),
        codes: [StoreError.uniqueViolation])
    }
  }

  /// The rows of the entity that has a property.
  private func rows(with property: String) -> [ModelRow] {
    tables.filter { property.hasPrefix("\($0.type).") }.flatMap(\.rows)
  }
}

// MARK: Backlinks

extension ModelStore {
  /// The ids of the objects that link to each target by each property, in insertion order.
  package var backlinks: [ModelLink: [Int]] {
    var backlinks: [ModelLink: [Int]] = [:]
    for row in rows {
      for link in Set(row.object.modelLinks) { backlinks[link, default: []].append(row.key.id) }
    }
    return backlinks
  }
}
