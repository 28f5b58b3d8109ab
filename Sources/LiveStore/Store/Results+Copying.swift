// Arrays of what this package's collections hold.
//
// `Array(results)` asks a collection to copy itself. The standard library's own way of doing so, once it is inlined in a
// loop where the array is not used any more (`_ = Array(results)`, `Array(results).count`), is compiled by Swift 6.3 so
// that the array is released before its elements are written: memory that is no longer the array's is overwritten. That
// befalls any collection of generic elements of another module (Documentation/Reliability.md has one of ten lines). Those
// of this package are copied by code that is not inlined, in which an array owns its elements from the first one on.
//
// What the standard library makes of any of them (`prefix(3)`, `results[1..<5]`, `reversed()`, `lazy`) is copied by its
// own code, over which a collection has no say.

extension Collection {
  /// The elements, in an array that grows by them.
  @inline(never)
  package func copiedOneByOne() -> ContiguousArray<Element> {
    var array: ContiguousArray<Element> = []
    array.reserveCapacity(count)
    for element in self { array.append(element) }
    return array
  }
}

// What `Array.init` calls.

extension Results {
  /// The objects, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Element> { copiedOneByOne() }
}

extension SectionedResults {
  /// The sections, copied.
  public func _copyToContiguousArray() -> ContiguousArray<ResultSection<Key, Element>> { copiedOneByOne() }
}

extension ResultSection {
  /// The rows, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Element> { copiedOneByOne() }
}

extension LinkedObjects {
  /// The objects, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Target> { copiedOneByOne() }
}

extension RefList {
  /// The references, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Ref<Target>> { copiedOneByOne() }
}

extension RefSet {
  /// The references, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Ref<Target>> { copiedOneByOne() }
}

extension RefMap {
  /// The entries, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Element> { copiedOneByOne() }
}

extension JSONObject {
  /// The members, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Element> { copiedOneByOne() }
}
