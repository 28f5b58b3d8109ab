import Foundation
import LiveStore

/// A struct for types that no family has: properties of every kind, given their names by the case.
struct Sheet<Place: Sendable>: CaseEntity {
  var id = 0
  var int0 = 0, int1 = 0, int2 = 0, int3 = 0
  var double0 = 0.0, double1 = 0.0
  var string0 = "", string1 = ""
  var bool0 = false, bool1 = false
  var date0 = Timestamp()
  var optionalInt0: Int?, optionalInt1: Int?, optionalInt2: Int?, optionalInt3: Int?
  var optionalDouble0: Double?, optionalDouble1: Double?
  var optionalString0: String?, optionalString1: String?
  var optionalBool0: Bool?, optionalBool1: Bool?
  var optionalDate0: Timestamp?, optionalUUID0: UUID?, optionalData0: Data?
  var ints0: [Int] = [], ints1: [Int] = []
  var optionalInts0: [Int?] = [], strings0: [String] = [], optionalStrings0: [String?] = []
  var firstLink0: Ref<FirstSheet>?, firstLink1: Ref<FirstSheet>?
  var secondLink0: Ref<SecondSheet>?, secondLink1: Ref<SecondSheet>?
  var thirdLink0: Ref<ThirdSheet>?, thirdLink1: Ref<ThirdSheet>?
  var fourthLink0: Ref<FourthSheet>?, fourthLink1: Ref<FourthSheet>?
  var firstList0 = RefList<FirstSheet>(), firstList1 = RefList<FirstSheet>()
  var secondList0 = RefList<SecondSheet>(), secondList1 = RefList<SecondSheet>()
  var thirdList0 = RefList<ThirdSheet>(), thirdList1 = RefList<ThirdSheet>()
  var fourthList0 = RefList<FourthSheet>(), fourthList1 = RefList<FourthSheet>()

  static var columns: Columns<Sheet> {
    Columns(
      \Sheet.id, \.int0, \.int1, \.int2, \.int3, \.double0, \.double1,
      \.string0, \.string1, \.bool0, \.bool1, \.date0,
      \.optionalInt0, \.optionalInt1, \.optionalInt2, \.optionalInt3, \.optionalDouble0, \.optionalDouble1,
      \.optionalString0, \.optionalString1, \.optionalBool0, \.optionalBool1,
      \.optionalDate0, \.optionalUUID0, \.optionalData0,
      \.ints0, \.ints1, \.optionalInts0, \.strings0, \.optionalStrings0,
      \.firstLink0, \.firstLink1, \.secondLink0, \.secondLink1,
      \.thirdLink0, \.thirdLink1, \.fourthLink0, \.fourthLink1,
      \.firstList0, \.firstList1, \.secondList0, \.secondList1,
      \.thirdList0, \.thirdList1, \.fourthList0, \.fourthList1)
  }
}

typealias FirstSheet = Sheet<SheetPlace.First>
typealias SecondSheet = Sheet<SheetPlace.Second>
typealias ThirdSheet = Sheet<SheetPlace.Third>
typealias FourthSheet = Sheet<SheetPlace.Fourth>

/// Tells the sheets of one store apart.
enum SheetPlace {
  enum First {}
  enum Second {}
  enum Third {}
  enum Fourth {}
}

extension CaseFamily {
  /// Sheets for a schema that no written family covers.
  static func sheets(for schema: JSONObject) throws(CaseFailure) -> CaseFamily {
    var family = CaseFamily(FirstSheet.self, SecondSheet.self, ThirdSheet.self, FourthSheet.self)
    let types = schema.map(\.key)
    guard types.count <= family.tables.count else {
      throw .notApplicable("entity types for \(types.sorted().joined(separator: ", "))")
    }
    let sheets = Dictionary(
      zip(types, family.tables.map(\.name)), uniquingKeysWith: { first, _ in first })
    var tables: [any CaseTable] = []
    for ((name, properties), sheet) in zip(schema, family.tables) {
      guard let properties = properties.members else { throw .malformed("\(name) lists no properties") }
      tables.append(try sheet.renamed(name, properties, sheets))
    }
    family.tables = tables
    return family
  }
}

extension EntityTable {
  func renamed(
    _ name: String, _ properties: JSONObject, _ tables: [String: String]
  ) throws(CaseFailure) -> any CaseTable {
    var (free, used) = (columns.dropFirst(), columns.prefix(1))
    for (key, value) in properties where key != "id" {
      guard let type = value.text else { throw .malformed("the type of \(name).\(key) is no text") }
      var own = type
      if let colon = type.firstIndex(of: ":") {
        let target = type[colon...].dropFirst().filter { $0 != "?" }
        if let table = tables[target] { own = type[...colon] + table }
      }
      let index = free.firstIndex { $0.type == own } ?? free.firstIndex { $0.type == own + "?" }
      guard let index else { throw .notApplicable("entity types: a property \(name).\(key) of type \(type)") }
      used.append(free.remove(at: index).renamed(key, type))
    }
    return EntityTable(name, Array(used))
  }
}
