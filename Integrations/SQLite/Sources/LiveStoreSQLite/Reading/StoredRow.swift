import Foundation
package import LiveStore

/// The columns of a table, which its rows share.
package final class RowLayout: Sendable {
  let columns: ColumnNames

  init(_ columns: ColumnNames) { self.columns = columns }

  /// Whether rows of this layout are the same under another one: properties keep their places, and values that they had
  /// keep their kinds.
  package func agrees(with new: RowLayout) -> Bool {
    columns.names == new.columns.names
      && zip(columns.kinds, new.columns.kinds).allSatisfy { $0.isEmpty || $0 == $1 }
  }
}

/// A row as it is stored: its values in one block of memory, from which they are read one by one.
package struct StoredRow: Sendable {
  /// Its number, by which rows are in insertion order.
  package let number: Int64
  private let layout: RowLayout
  /// As `RowBytes` encodes them, with a mark of 0.
  private let bytes: [UInt8]

  init(_ number: Int64, _ values: [ColumnValue], _ layout: RowLayout) {
    (self.number, self.layout) = (number, layout)
    bytes = RowBytes.encode(values, mark: 0)
  }

  /// A row without values.
  package static let empty = StoredRow(0, [], RowLayout(ColumnNames()))

  /// How many bytes its values have.
  package var size: Int { bytes.count - Self.start }

  /// The first byte after the mark.
  private static let start = 8

  /// The value of a property as JSON; nil if there is none.
  package func value(_ name: String) -> JSONValue? {
    guard let index = layout.columns.index(of: name) else { return nil }
    var found: JSONValue?
    forEachValue { column, value in
      if column == index { found = value.json(layout.columns.kinds[column]) }
      return column < index
    }
    return found
  }

  /// The whole object.
  package var object: JSONObject {
    var members: [(key: String, value: JSONValue)] = []
    forEachValue { column, value in
      members.append((key: layout.columns.names[column], value: value.json(layout.columns.kinds[column])))
      return true
    }
    return JSONObject(members)
  }

  /// The kinds of the values, without those that are null.
  package func forEachKind(_ body: (_ property: String, _ kind: FieldValue.Kind) -> Void) {
    forEachValue { column, value in
      body(layout.columns.names[column], value.kind(layout.columns.kinds[column]))
      return true
    }
  }

  /// Passes on the values of properties that are not null, in the order of their columns, until the body returns false.
  private func forEachValue(_ body: (_ column: Int, _ value: FieldValue) -> Bool) {
    bytes.withUnsafeBytes { bytes in
      var rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(Self.start))
      func take(_ count: Int) -> UnsafeRawBufferPointer {
        let part = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        return part
      }
      func number() -> UInt64 {
        var (number, shift) = (0 as UInt64, 0 as UInt64)
        while let byte = take(1).first {
          number |= UInt64(byte & 127) << shift
          if byte < 128 { break }
          shift += 7
        }
        return number
      }
      while !rest.isEmpty {
        let head = number()
        let value: FieldValue
        switch head & 3 {
        case 0:
          let number = number()
          value = .integer(Int64(bitPattern: number >> 1) ^ -Int64(number & 1))
        case 1:
          value = .real(Double(bitPattern: UInt64(littleEndian: take(8).loadUnaligned(as: UInt64.self))))
        case let type:
          let content = take(Int(number()))
          value = type == 2 ? .text(content) : .blob(content)
        }
        let column = Int(head >> 2)
        if !body(column, value) { return }
      }
    }
  }
}

extension StoredRow: Equatable {
  /// Whether number and values are equal.
  package static func == (left: StoredRow, right: StoredRow) -> Bool {
    guard left.number == right.number else { return false }
    if left.layout === right.layout || left.layout.columns == right.layout.columns {
      return left.bytes == right.bytes
    }
    return left.object == right.object
  }
}
