import Foundation
import RecordModel
import Testing

@testable import RecordAPI

/// The pages of the interface are written by hand. These tests find omissions.
@Suite struct InterfacePageTests {
    private let page: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let manual = root.appendingPathComponent("Sources/fogbase/fogbase.docc")
        page = try [
            "Interface", "Records", "Querying", "Files", "Syncing", "Subscriptions", "Webhooks", "SecuringData",
            "Accounts",
        ]
        .map { try String(contentsOf: manual.appendingPathComponent("\($0).md"), encoding: .utf8) }
        .joined(separator: "\n")
    }

    @Test func `the interface page names every route with its method`() {
        let lines = page.split(separator: "\n")
        for route in RouteTable.native.routes {
            let words = "\(route.name)".split(separator: " ")
            // Lines share methods and paths: `GET`/`PUT /schema`.
            let isNamed = lines.contains {
                $0.contains("\(words[1])`") || $0.contains("\(words[1])?") || $0.contains("\(words[1]) ")
                    ? $0.contains(words[0]) : false
            }
            #expect(isNamed, "\(route.name)")
        }
    }

    @Test func `the interface page describes the values of each type`() {
        for type in FieldType.allCases where !type.isList { #expect(page.contains("\n| `\(type.schemaName)` |")) }
    }

    @Test func `the interface page names every parameter, code and cause`() {
        for name in RouteTable.native.routes.flatMap(\.query) + RequestQuery.scopeNames {
            #expect(page.contains(name), "\(name)")
        }
        for code in RecordError.Code.allCases { #expect(page.contains("`\(code.rawValue)`")) }
        for cause in RecordError.Cause.allCases { #expect(page.contains("`\(cause.rawValue)`")) }
    }
}
