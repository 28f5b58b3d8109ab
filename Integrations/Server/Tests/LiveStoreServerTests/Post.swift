import Foundation
import LiveStore
import Testing
@testable import LiveStoreServer
@Test func a() {}
