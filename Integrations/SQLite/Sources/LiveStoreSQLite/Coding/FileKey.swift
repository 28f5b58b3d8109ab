import Crypto
import Foundation
import Synchronization

/// The key of one file, derived from the user's key and the file's salt by HKDF (RFC 5869), and what it seals, by AES-GCM
/// with 256 bits (NIST SP 800-38D).
///
/// Each sealing has a random nonce, and is bound to what it is of: a row to its table, number and version, so that none can
/// stand in the place of another. Another file has another salt, so that its rows do not fit in, either; a copy of a file
/// has its salt.
struct FileKey: Sendable {
  /// Random bytes that are in the file.
  let salt: [UInt8]
  /// What is in the file to tell another key from this one. It is derived beside the key and says nothing about it.
  let check: [UInt8]
  private let key: SymmetricKey
  private let count = Count()

  /// How often something was sealed with a key, in this process and, as the file says, before.
  private final class Count: Sendable {
    let number = Atomic<Int64>(0)
  }

  /// - Throws: `wrongKey` if the key has less than 128 bits.
  init(_ userKey: SymmetricKey, salt: [UInt8] = Self.makeSalt()) throws(StoreFileError) {
    try Self.checkLength(userKey)
    let derived = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: userKey, salt: salt, info: Array("LiveStore file".utf8), outputByteCount: 48)
    self.salt = salt
    // The bytes of the key are in no array, which would leave them in memory. The pointers stay within the closure.
    (key, check) = derived.withUnsafeBytes { bytes in
      (SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes.prefix(32))), Array(bytes.suffix(16)))
    }
  }

  /// Throws `wrongKey` if the user's key has less than 128 bits.
  static func checkLength(_ userKey: SymmetricKey) throws(StoreFileError) {
    guard userKey.bitCount >= 128 else {
      throw StoreFileError(
        .wrongKey, "The key has \(userKey.bitCount) bits. It needs 128 at least, better 256.")
    }
  }

  private static func makeSalt() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }

  /// What is sealed.
  enum Subject {
    case contents
    case row(Int64, table: String, version: Int64)

    fileprivate var bytes: [UInt8] {
      switch self {
      case .contents: return [0]
      case .row(let row, let table, let version):
        var bytes: [UInt8] = [1]
        withUnsafeBytes(of: (row.littleEndian, version.littleEndian)) { bytes.append(contentsOf: $0) }
        return bytes + table.utf8
      }
    }
  }

  /// How often something was sealed with the key: nonces are random, so that after 2³² times two may be the same.
  var sealCount: Int64 { count.number.load(ordering: .relaxed) }

  /// Adds what was sealed before.
  func addSeals(_ number: Int64) { count.number.add(number, ordering: .relaxed) }

  /// The nonce, the encrypted bytes and the tag.
  func seal(_ bytes: [UInt8], _ subject: Subject) throws -> [UInt8] {
    addSeals(1)
    let box = try AES.GCM.seal(bytes, using: key, authenticating: subject.bytes)
    return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
  }

  /// The bytes that were sealed; nil if they were not sealed as this with this key.
  func open(_ sealed: some DataProtocol, _ subject: Subject) -> [UInt8]? {
    guard let box = try? AES.GCM.SealedBox(combined: sealed),
      let bytes = try? AES.GCM.open(box, using: key, authenticating: subject.bytes)
    else { return nil }
    return Array(bytes)
  }
}
