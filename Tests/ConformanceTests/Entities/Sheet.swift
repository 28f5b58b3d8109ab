import Foundation
import LiveStore

/// A struct for types that no family has: properties of every kind, given their names by the case.
struct Sheet<Place: Sendable>: CaseEntity {
  let id: Int
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

  init(id: Int) { self.id = id }

  static var columns: [any Column<Sheet>] { [identity(\.id)] }

  static var schema: Schema<Sheet> {
    Schema {
      \.int0; \.int1; \.int2; \.int3
      \.double0; \.double1
      \.string0; \.string1
      \.bool0; \.bool1
      \.date0
      \.optionalInt0; \.optionalInt1; \.optionalInt2; \.optionalInt3
      \.optionalDouble0; \.optionalDouble1
      \.optionalString0; \.optionalString1
      \.optionalBool0; \.optionalBool1
      \.optionalDate0; \.optionalUUID0; \.optionalData0
      \.ints0; \.ints1
      \.optionalInts0; \.strings0; \.optionalStrings0
      \.firstLink0; \.firstLink1; \.secondLink0; \.secondLink1
      \.thirdLink0; \.thirdLink1; \.fourthLink0; \.fourthLink1
      \.firstList0; \.firstList1; \.secondList0; \.secondList1
      \.thirdList0; \.thirdList1; \.fourthList0; \.fourthList1
    }
  }

  /// A property under its stored name, to be named by a case.
  private static func slot<Value: CaseValue>(
    _ name: String, _ keyPath: any WritableKeyPath<Sheet, Value> & Sendable, type: String = Value.typeName
  ) -> Slot {
    Slot(type: type) { TypedColumn($0, $1, keyPath, storedName: name) }
  }

  private struct Slot {
    let type: String
    let column: (_ name: String, _ type: String) -> any Column<Sheet>
  }

  private static var slots: [Slot] {
    [
      slot("int0", \.int0), slot("int1", \.int1), slot("int2", \.int2), slot("int3", \.int3),
      slot("double0", \.double0), slot("double1", \.double1),
      slot("string0", \.string0), slot("string1", \.string1),
      slot("bool0", \.bool0), slot("bool1", \.bool1),
      slot("date0", \.date0),
      slot("optionalInt0", \.optionalInt0), slot("optionalInt1", \.optionalInt1),
      slot("optionalInt2", \.optionalInt2), slot("optionalInt3", \.optionalInt3),
      slot("optionalDouble0", \.optionalDouble0), slot("optionalDouble1", \.optionalDouble1),
      slot("optionalString0", \.optionalString0), slot("optionalString1", \.optionalString1),
      slot("optionalBool0", \.optionalBool0), slot("optionalBool1", \.optionalBool1),
      slot("optionalDate0", \.optionalDate0), slot("optionalUUID0", \.optionalUUID0),
      slot("optionalData0", \.optionalData0),
      slot("ints0", \.ints0), slot("ints1", \.ints1),
      slot("optionalInts0", \.optionalInts0), slot("strings0", \.strings0),
      slot("optionalStrings0", \.optionalStrings0),
      slot("firstLink0", \.firstLink0, type: "link 0"), slot("firstLink1", \.firstLink1, type: "link 0"),
      slot("secondLink0", \.secondLink0, type: "link 1"), slot("secondLink1", \.secondLink1, type: "link 1"),
      slot("thirdLink0", \.thirdLink0, type: "link 2"), slot("thirdLink1", \.thirdLink1, type: "link 2"),
      slot("fourthLink0", \.fourthLink0, type: "link 3"), slot("fourthLink1", \.fourthLink1, type: "link 3"),
      slot("firstList0", \.firstList0, type: "list 0"), slot("firstList1", \.firstList1, type: "list 0"),
      slot("secondList0", \.secondList0, type: "list 1"), slot("secondList1", \.secondList1, type: "list 1"),
      slot("thirdList0", \.thirdList0, type: "list 2"), slot("thirdList1", \.thirdList1, type: "list 2"),
      slot("fourthList0", \.fourthList0, type: "list 3"), slot("fourthList1", \.fourthList1, type: "list 3"),
    ]
  }

  /// A table whose properties are those of a type in a schema, each in a slot of its type.
  ///
  /// - Parameter types: the types of the schema, in the order of the sheets they get.
  static func table(_ name: String, _ properties: JSONObject, types: [String]) throws(CaseFailure)
    -> EntityTable<Sheet>
  {
    var (free, columns) = (slots, columns)
    for (key, value) in properties where key != "id" {
      guard let type = value.text else { throw .malformed("the type of \(name).\(key) is no text") }
      var stored = type
      let target = type.dropFirst(5).filter { $0 != "?" }
      if type.hasPrefix("link:"), let place = types.firstIndex(of: target) {
        stored = "link \(place)"
      } else if type.hasPrefix("list:"), let place = types.firstIndex(of: target) {
        stored = "list \(place)"
      }
      let index = free.firstIndex { $0.type == stored } ?? free.firstIndex { $0.type == stored + "?" }
      guard let index else { throw .notApplicable("entity types: a property \(name).\(key) of type \(type)") }
      columns.append(free.remove(at: index).column(key, type))
    }
    return EntityTable(name, columns)
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
    let types = schema.map(\.key)
    guard schema.count <= 4 else {
      throw .notApplicable("entity types for \(types.sorted().joined(separator: ", "))")
    }
    var tables: [any CaseTable] = []
    for (name, properties) in schema {
      guard let properties = properties.members else { throw .malformed("\(name) lists no properties") }
      switch tables.count {
      case 0: tables.append(try FirstSheet.table(name, properties, types: types))
      case 1: tables.append(try SecondSheet.table(name, properties, types: types))
      case 2: tables.append(try ThirdSheet.table(name, properties, types: types))
      default: tables.append(try FourthSheet.table(name, properties, types: types))
      }
    }
    return CaseFamily(tables) {
      try Store(FirstSheet.self, SecondSheet.self, ThirdSheet.self, FourthSheet.self)
    }
  }
}
