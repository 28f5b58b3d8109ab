import TestSupport
import Testing

import LiveStore

@Suite struct `Bits of rows` {
  private struct Row {
    var first = 0
    var value: Int32
    var last = 0
  }

  @Test func `each row that passes has its bit, in blocks of every length up to 64`() {
    var generator = SeededGenerator(seed: 21)
    print("seed 21")
    let stride = MemoryLayout<Row>.stride
    let offset = MemoryLayout<Row>.offset(of: \Row.value) ?? 0
    for count in 0...64 {
      for _ in 0..<20 {
        let rows = (0..<count).map { _ in Row(value: .random(in: 0..<3, using: &generator)) }
        var expected: UInt64 = 0
        for (index, row) in rows.enumerated() where row.value == 1 { expected |= 1 << UInt64(index) }
        var read = 0
        rows.withUnsafeBytes { bytes in
          let none = UnsafeRawPointer(bitPattern: 16)
          guard let base = bytes.baseAddress ?? none else { return }
          for accessor in [
            Accessor<Int32>.offset(offset), .function { row, _ in row.object(as: Row.self).pointee.value },
          ] {
            let bits = rowBits(accessor, base, stride, count, .none) { value in
              read += 1
              return value == 1
            }
            check(bits == expected, "\(count) rows: \(String(bits, radix: 2))")
          }
        }
        check(read == 2 * count, "\(count) rows: \(read) values are read")
      }
    }
  }

  @Test func `a single row needs no distance to the next`() {
    let row = Row(value: 7)
    withUnsafePointer(to: row) { row in
      let bits = rowBits(
        Accessor<Int32>.offset(MemoryLayout<Row>.offset(of: \Row.value) ?? 0), row, 0, 1, .none
      ) { $0 == 7 }
      #expect(bits == 1)
    }
  }
}
