import LiveStore

/// The objects of one entity in a `ModelStore`.
struct ModelTable<Element: ModelEntity>: Sendable {
  /// In insertion order.
  var objects: [Element] = []
  /// The insertion number of each object, by id.
  var positions: [Int: Int] = [:]

  init(_: Element.Type = Element.self) {}

  func index(of id: Int) -> Int? { positions[id] == nil ? nil : objects.firstIndex { $0.id == id } }

  /// Inserts an object where its position puts it, in place of one of the same id.
  mutating func put(_ object: Element, at position: Int) {
    remove(object.id)
    let next = objects.lastIndex { (positions[$0.id] ?? 0) < position }.map { $0 + 1 } ?? 0
    objects.insert(object, at: next)
    positions[object.id] = position
  }

  @discardableResult
  mutating func remove(_ id: Int) -> Element? {
    guard let index = index(of: id) else { return nil }
    positions[id] = nil
    return objects.remove(at: index)
  }
}

/// What a `ModelStore` does with a table of any entity.
protocol ModelTableOfAnyEntity: Sendable {
  var type: any ModelEntity.Type { get }
  var rows: [ModelRow] { get }
  func contains(_ id: Int) -> Bool
  func row(_ id: Int) -> ModelRow?
  mutating func put(_ row: ModelRow)
  /// Removes an object and returns its links; nil if the table does not hold it.
  mutating func removeObject(_ id: Int) -> [ModelLink]?
  /// Nullifies the links to a deleted object, and returns the objects that are to be deleted with it.
  mutating func removeLinks(to target: ModelKey, _ rules: ModelRules) -> [ModelKey]
  /// Gives the objects the positions that they have in another version, if they are the same in the same order, and
  /// returns whether they are.
  mutating func keepPositions(of before: any ModelTableOfAnyEntity) -> Bool
}

extension ModelTable: ModelTableOfAnyEntity {
  var type: any ModelEntity.Type { Element.self }

  var rows: [ModelRow] {
    objects.map { ModelRow(key: $0.modelKey, position: positions[$0.id] ?? 0, object: $0) }
  }

  func contains(_ id: Int) -> Bool { positions[id] != nil }

  func row(_ id: Int) -> ModelRow? {
    guard let index = index(of: id), let position = positions[id] else { return nil }
    return ModelRow(key: Element.modelKey(id), position: position, object: objects[index])
  }

  mutating func put(_ row: ModelRow) {
    if let object = row.object as? Element { put(object, at: row.position) }
  }

  mutating func removeObject(_ id: Int) -> [ModelLink]? { remove(id)?.modelLinks }

  mutating func removeLinks(to target: ModelKey, _ rules: ModelRules) -> [ModelKey] {
    var cascading: [ModelKey] = []
    for index in objects.indices {
      for link in objects[index].modelLinks where link.target == target {
        switch rules.deleteRule(link.property) {
        case .nullify: objects[index].removeLinks(to: target.id, in: link.property)
        case .cascade: cascading.append(objects[index].modelKey)
        case .restrict: break
        }
      }
    }
    return cascading
  }

  mutating func keepPositions(of before: any ModelTableOfAnyEntity) -> Bool {
    guard let before = before as? ModelTable,
      objects.elementsEqual(before.objects, by: { $0.id == $1.id && $0.isSame(as: $1) })
    else { return false }
    positions = before.positions
    return true
  }
}
