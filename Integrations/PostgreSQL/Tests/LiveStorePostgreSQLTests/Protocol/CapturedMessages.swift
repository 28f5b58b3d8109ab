import LiveStorePostgreSQL

/// Messages that PostgreSQL 15 sent for changes of two tables, with the protocol's version 2 and binary values:
///
///     posts (id int8 PRIMARY KEY, title text NOT NULL, n numeric, s status)
///     notes (a int, b text), REPLICA IDENTITY FULL
enum CapturedMessages {
  static let begin = bytes(hexadecimal: "42 0000000001623188 00030419d09968f7 000002e8")
  static let type = bytes(hexadecimal: "59 00004001 7075626c696300 73746174757300")
  static let posts = bytes(
    hexadecimal: "52 00004079 7075626c696300 706f73747300 64 0004 01 696400 00000014 ffffffff"
      + "00 7469746c6500 00000019 ffffffff 00 6e00 000006a4 ffffffff 00 7300 00004001 ffffffff")
  static let notes = bytes(
    hexadecimal: "52 00004080 7075626c696300 6e6f74657300 66 0002 01 6100 00000017 ffffffff"
      + "01 6200 00000019 ffffffff")
  /// `INSERT INTO posts VALUES (1, 'Tea', 1.5, 'open')`
  static let insert = bytes(
    hexadecimal: "49 00004079 4e 0004 62 00000008 0000000000000001 62 00000003 546561"
      + "62 0000000c 000200000000000100011388 62 00000004 6f70656e")
  /// The same in text form.
  static let textInsert = bytes(
    hexadecimal: "49 00004079 4e 0004 74 00000001 31 74 00000003 546561 74 00000003 312e35"
      + "74 00000004 6f70656e")
  /// `UPDATE posts SET n = 7 WHERE id = 3`, where the title is a large value
  static let update = bytes(
    hexadecimal: "55 00004079 4e 0004 62 00000008 0000000000000003 75"
      + "62 0000000a 00010000000000000007 62 00000006 636c6f736564")
  /// `UPDATE posts SET id = 4 WHERE id = 3`
  static let keyUpdate = bytes(
    hexadecimal:
      "55 00004079 4b 0004 62 00000008 0000000000000003 6e 6e 6e 4e 0004 62 00000008 0000000000000004 75"
      + "62 0000000a 00010000000000000007 62 00000006 636c6f736564")
  /// `UPDATE notes SET b = 'c' WHERE a = 1`
  static let fullUpdate = bytes(
    hexadecimal: "55 00004080 4f 0002 62 00000004 00000001 62 00000001 61"
      + "4e 0002 62 00000004 00000001 62 00000001 63")
  /// `DELETE FROM posts WHERE id = 2`
  static let delete = bytes(hexadecimal: "44 00004079 4b 0004 62 00000008 0000000000000002 6e 6e 6e")
  /// `DELETE FROM notes WHERE a IS NULL`
  static let fullDelete = bytes(hexadecimal: "44 00004080 4f 0002 6e 62 00000001 62")
  /// `TRUNCATE posts, notes RESTART IDENTITY CASCADE`
  static let truncate = bytes(hexadecimal: "54 00000002 03 00004079 00004080")
  /// `pg_logical_emit_message(true, 'app', 'hello')`
  static let message = bytes(hexadecimal: "4d 01 00000000016279e0 61707000 00000005 68656c6c6f")
  static let commit = bytes(hexadecimal: "43 00 0000000001623188 00000000016231b8 00030419d09968f7")

  // Of a transaction that is streamed before it ends.
  static let streamStart = bytes(hexadecimal: "53 000002f5 01")
  static let streamedInsert = bytes(
    hexadecimal: "49 000002f6 00004079 4e 0004 62 00000008 0000000000000001 62 00000005 726f772031 6e 6e")
  static let streamedNotes = Array(notes[..<1]) + bytes(hexadecimal: "000002f5") + Array(notes[1...])
  static let streamStop = bytes(hexadecimal: "45")
  static let nextStreamStart = bytes(hexadecimal: "53 000002f5 00")
  static let streamAbort = bytes(hexadecimal: "41 000002f5 000002f6")
  static let streamCommit = bytes(
    hexadecimal: "63 000002f5 00 0000000001650380 00000000016503b8 00030419d09c0af0")

  static let unstreamed = [
    begin, type, posts, notes, insert, textInsert, update, keyUpdate, fullUpdate, delete, fullDelete,
    truncate, message,
    commit, streamStart, streamStop, streamAbort, streamCommit,
    bytes(hexadecimal: "4f 0000000000000001 616200"),
  ]
  static let streamed = [streamedInsert, streamedNotes]
}
