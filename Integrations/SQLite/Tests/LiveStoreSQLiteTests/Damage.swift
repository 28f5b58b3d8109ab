import Foundation
import SQLiteTestSupport

/// What happens to the bytes of a file.
struct Damage {
  let text: String
  let bytes: [UInt8]

  /// A damage that follows from a generator.
  init(to file: [UInt8], _ random: inout SplitMix64) {
    let pageSize = file.count > 17 ? max(512, Int(file[16]) << 8 | Int(file[17])) : 4_096
    let pages = max(1, file.count / pageSize)
    var bytes = file
    switch random.int(0...11) {
    case 0...3:
      let count = random.pick([1, 1, 1, 2, 3, 8, 50])
      var places: [Int] = []
      for _ in 0..<count {
        let place = random.int(0...(file.count - 1))
        places.append(place)
        bytes[place] = UInt8(truncatingIfNeeded: random.next() >> 13)
      }
      text = "\(count) bytes at \(places.sorted())"
    case 4:
      // Close together, as a block of the disk.
      let (place, count) = (random.int(0...(file.count - 1)), random.int(2...600))
      for index in place..<min(file.count, place + count) {
        bytes[index] = UInt8(truncatingIfNeeded: random.next() >> 13)
      }
      text = "\(count) bytes from \(place)"
    case 5:
      let page = random.int(0...(pages - 1))
      for index in page * pageSize..<min(file.count, (page + 1) * pageSize) { bytes[index] = 0 }
      text = "page \(page + 1) zeroed"
    case 6...7:
      let (first, second) = (random.int(0...(pages - 1)), random.int(0...(pages - 1)))
      for offset in 0..<pageSize { bytes.swapAt(first * pageSize + offset, second * pageSize + offset) }
      text = "pages \(first + 1) and \(second + 1) swapped"
    case 8:
      let (first, second) = (random.int(0...(pages - 1)), random.int(0...(pages - 1)))
      for offset in 0..<pageSize { bytes[first * pageSize + offset] = file[second * pageSize + offset] }
      text = "page \(first + 1) overwritten by page \(second + 1)"
    case 9:
      let length = random.chance(1, in: 2) ? random.int(1...pages) * pageSize : random.int(0...file.count)
      bytes.removeLast(file.count - min(length, file.count))
      text = "cut off at \(bytes.count)"
    case 10:
      let (place, bit) = (random.int(0...99), random.int(0...7))
      bytes[place] ^= 1 << UInt8(bit)
      text = "bit \(bit) of byte \(place) flipped"
    default:
      let count = random.pick([0, 0, 1, 100, 4_096, file.count])
      bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 13) }
      text = count == 0 ? "emptied" : "\(count) bytes of something else"
    }
    self.bytes = bytes
  }
}
