import LiveStorePostgreSQL
import Testing

@Suite struct `Ids in their order` {
  @Test func `ids are in the order in which they were inserted first`() {
    var ids = OrderedIDs<Int>()
    for id in [5, 3, 9, 3, 1] { ids.insert(id) }
    #expect(ids.elements == [5, 3, 9, 1])
    let removed = [ids.remove(3), ids.remove(3), ids.remove(7)]
    #expect(removed == [true, false, false])
    #expect(!ids.contains(3) && ids.contains(9))
    #expect(ids.elements == [5, 9, 1])
    for id in [5, 9, 1] { _ = ids.remove(id) }
    #expect(ids.isEmpty && ids.elements == [])
  }

  // A transaction may delete one row and insert it again any number of times.
  @Test func `ids that are removed and inserted again take no more memory`() {
    var ids = OrderedIDs<Int>()
    for id in 1...10 { ids.insert(id) }
    for round in 0..<10_000 {
      let id = 1 + round % 7
      let isRemoved = ids.remove(id)
      ids.insert(id)
      #expect(isRemoved && ids.orderCount <= 2 * 10 + 64 + 1)
    }
    #expect(Set(ids.elements) == Set(1...10) && ids.elements.count == 10)
  }
}
