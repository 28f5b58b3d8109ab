import Testing

import LiveStorePostgreSQL

@Suite struct `Messages of logical replication` {
  private func parsed(_ bytes: [UInt8]) throws -> LogicalMessage {
    let (xid, message) = try LogicalMessage.parse(bytes, inStream: false)
    #expect(xid == nil)
    return message
  }

  private func lsn(_ value: UInt64) -> LogSequenceNumber { LogSequenceNumber(rawValue: value) }

  @Test func `the bounds of a transaction`() throws {
    #expect(
      try parsed(CapturedMessages.begin)
        == .begin(finalLSN: lsn(0x162_3188), commitTime: 0x3_0419_D099_68F7, xid: 744))
    #expect(
      try parsed(CapturedMessages.commit)
        == .commit(commitLSN: lsn(0x162_3188), endLSN: lsn(0x162_31B8), commitTime: 0x3_0419_D099_68F7))
    #expect(try parsed(bytes(hexadecimal: "4f 0000000000000001 616200")) == .origin("ab"))
  }

  @Test func `tables and types`() throws {
    #expect(
      try parsed(CapturedMessages.posts)
        == .relation(
          RelationMessage(
            id: 16_505, namespace: "public", name: "posts", replicaIdentity: UInt8(ascii: "d"),
            columns: [
              .init(name: "id", isKey: true, typeID: 20, modifier: -1),
              .init(name: "title", isKey: false, typeID: 25, modifier: -1),
              .init(name: "n", isKey: false, typeID: 1_700, modifier: -1),
              .init(name: "s", isKey: false, typeID: 16_385, modifier: -1),
            ])))
    #expect(try parsed(CapturedMessages.type) == .type(id: 16_385, namespace: "public", name: "status"))
    let system = bytes(hexadecimal: "52 00004080 00 6e00 6e 0000")
    #expect(
      try parsed(system)
        == .relation(
          RelationMessage(
            id: 16_512, namespace: "pg_catalog", name: "n", replicaIdentity: UInt8(ascii: "n"), columns: [])))
  }

  @Test func `inserted rows have values in either form`() throws {
    guard case .insert(16_505, let binary) = try parsed(CapturedMessages.insert),
      case .insert(16_505, let text) = try parsed(CapturedMessages.textInsert)
    else {
      Issue.record("These are no insertions.")
      return
    }
    #expect((0..<4).map { binary[$0].form } == [.binary, .binary, .binary, .binary])
    #expect((0..<4).map { text[$0].form } == [.text, .text, .text, .text])
    #expect(binary.value(0) == [0, 0, 0, 0, 0, 0, 0, 1] && binary.value(1) == Array("Tea".utf8)[...])
    #expect(text.value(2) == Array("1.5".utf8)[...])
  }

  @Test func `an update without a change of the key has the new row alone`() throws {
    guard case .update(16_505, nil, false, let new) = try parsed(CapturedMessages.update) else {
      Issue.record("This is no such update.")
      return
    }
    #expect((0..<4).map { new[$0].form } == [.binary, .unchanged, .binary, .binary] && new.hasUnchanged)
  }

  @Test func `an update of a key has the key before it, which tells nothing of large values`() throws {
    guard case .update(16_505, let old?, false, let new) = try parsed(CapturedMessages.keyUpdate) else {
      Issue.record("This is no such update.")
      return
    }
    #expect(old.value(0) == [0, 0, 0, 0, 0, 0, 0, 3] && old[1].form == .null)
    #expect(new.value(0) == [0, 0, 0, 0, 0, 0, 0, 4] && new[1].form == .unchanged)
  }

  @Test func `a large key that did not change is filled in from the key before`() throws {
    let message = bytes(
      hexadecimal: "55 00004079 4b 0002 74 00000001 61 6e 4e 0002 75 75")
    guard case .update(_, let old?, false, let new) = try parsed(message) else {
      Issue.record("This is no such update.")
      return
    }
    #expect(new[0] == old[0] && new[1].form == .unchanged)
  }

  @Test func `with a full identity large values are filled in from the row before`() throws {
    guard case .update(16_512, let old?, true, let new) = try parsed(CapturedMessages.fullUpdate) else {
      Issue.record("This is no such update.")
      return
    }
    #expect(old.value(1) == [0x61] && new.value(1) == [0x63])
    let unchanged = bytes(
      hexadecimal:
        "55 00004080 4f 0003 62 00000004 00000001 62 00000001 61 6e 4e 0003 62 00000004 00000002 75 75")
    guard case .update(_, _, true, let filled) = try parsed(unchanged) else {
      Issue.record("This is no such update.")
      return
    }
    #expect(filled.value(0) == [0, 0, 0, 2] && filled.value(1) == [0x61] && filled[2].form == .null)
    #expect(!filled.hasUnchanged)
  }

  @Test func `deleted rows have the key or all columns`() throws {
    guard case .delete(16_505, let key, false) = try parsed(CapturedMessages.delete),
      case .delete(16_512, let row, true) = try parsed(CapturedMessages.fullDelete)
    else {
      Issue.record("These are no deletions.")
      return
    }
    #expect(key.value(0) == [0, 0, 0, 0, 0, 0, 0, 2] && row[0].form == .null && row.value(1) == [0x62])
  }

  @Test func `truncated tables and messages of programs`() throws {
    #expect(
      try parsed(CapturedMessages.truncate)
        == .truncate(relations: [16_505, 16_512], options: [.cascade, .restartIdentity]))
    #expect(
      try parsed(CapturedMessages.message)
        == .message(prefix: "app", content: Array("hello".utf8), lsn: lsn(0x162_79E0), isTransactional: true))
  }

  @Test func `the parts of a streamed transaction`() throws {
    #expect(try parsed(CapturedMessages.streamStart) == .streamStart(xid: 757, isFirst: true))
    #expect(try parsed(CapturedMessages.nextStreamStart) == .streamStart(xid: 757, isFirst: false))
    #expect(try parsed(CapturedMessages.streamStop) == .streamStop)
    #expect(try parsed(CapturedMessages.streamAbort) == .streamAbort(xid: 757, subtransaction: 758))
    #expect(
      try parsed(CapturedMessages.streamCommit)
        == .streamCommit(
          xid: 757, commitLSN: lsn(0x165_0380), endLSN: lsn(0x165_03B8), commitTime: 0x3_0419_D09C_0AF0))
  }

  @Test func `changes in a stream have the ids of their transactions`() throws {
    let (xid, message) = try LogicalMessage.parse(CapturedMessages.streamedInsert, inStream: true)
    guard case .insert(16_505, let new) = message else {
      Issue.record("This is no insertion.")
      return
    }
    #expect(xid == 758 && new.value(1) == Array("row 1".utf8)[...])
    let (other, relation) = try LogicalMessage.parse(CapturedMessages.streamedNotes, inStream: true)
    #expect(other == 757)
    #expect(relation == (try parsed(CapturedMessages.notes)))
    #expect(try LogicalMessage.parse(CapturedMessages.streamStop, inStream: true).xid == nil)
  }

  @Test func `a message is read from part of an array, too`() throws {
    let array = [1, 2, 3] + CapturedMessages.insert + [4, 5]
    let (_, message) = try LogicalMessage.parse(array, 3..<array.count - 2, inStream: false)
    #expect(message == (try parsed(CapturedMessages.insert)))
  }
}

@Suite struct `Frames of the replication stream` {
  @Test func `changes and signs of life`() throws {
    let data = bytes(hexadecimal: "77 0000000000000001 0000000000000002 0000000000000003 4243")
    #expect(
      try ReplicationFrame.parse(data)
        == .data(
          start: LogSequenceNumber(rawValue: 1), end: LogSequenceNumber(rawValue: 2), sendTime: 3,
          payload: 25..<27))
    let keepalive = bytes(hexadecimal: "6b 0000000000000002 0000000000000003 01")
    #expect(
      try ReplicationFrame.parse([0] + keepalive, 1..<19)
        == .keepalive(end: LogSequenceNumber(rawValue: 2), sendTime: 3, replyRequested: true))
  }

  @Test func `the status of a standby has the bytes that the protocol wants`() {
    let update = ReplicationFrame.statusUpdate(
      written: LogSequenceNumber(rawValue: 0x16_B374_D848), flushed: LogSequenceNumber(rawValue: 2),
      applied: LogSequenceNumber(rawValue: 3), clock: -1, replyRequested: true)
    #expect(
      update
        == bytes(hexadecimal: "72 00000016b374d848 0000000000000002 0000000000000003 ffffffffffffffff 01"))
  }
}
