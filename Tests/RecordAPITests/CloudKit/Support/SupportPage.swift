import Foundation
import HTTP
import RecordModel

@testable import RecordAPI

/// The section of the manual that is made from the rows.
enum SupportPage {
    static let heading = "## What is supported"

    /// The directory of the project.
    static let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    /// The file with the section, which is its last.
    static let file = root.appendingPathComponent("Sources/fogbase/fogbase.docc/CloudKit.md")

    /// The text of the section.
    static var section: String {
        """
        \(heading)

        These tables are made from tests. A test sends a request for each row, and compares the response with the row.

        ### Endpoints

        \(endpoints)

        ### Keys of requests

        \(table("endpoint or dictionary", .requestKey))

        ### Keys of responses

        \(table("endpoint or dictionary", .responseKey))

        ### Comparators

        \(table("comparator", .comparator))

        ### Field types

        \(table("type", .type))

        ### Error codes

        \(codes)

        ### Reasons of errors

        \(table("code", .reason, names: "reason"))

        """
    }

    // MARK: Tables

    private static func rows(of kind: SupportRow.Kind) -> [SupportRow] { SupportRow.all.filter { $0.kind == kind } }

    /// Endpoints with their methods and databases.
    private static var endpoints: String {
        let lines = merged(rows(of: .endpoint)) { [$0.place, $0.databases.joined(separator: ", "), $0.answer] }
        return markdown(
            ["endpoint", "methods", "databases", "supported"],
            lines.map { key, names in
                [code(key[0]), names.joined(separator: ", "), key[1].isEmpty ? "–" : key[1], key[2]]
            })
    }

    private static var codes: String {
        markdown(
            ["code", "status", "supported"],
            rows(of: .code).map { row in
                let name = row.names.first ?? ""
                let status = RecordError.Code(rawValue: name).map { "\(CloudKitErrors.status(of: $0).code)" }
                return [code(name), status ?? "–", row.answer]
            })
    }

    /// A table with one line for the names of a place that have the same answer.
    private static func table(_ place: String, _ kind: SupportRow.Kind, names: String = "keys") -> String {
        let hasPlace = kind == .requestKey || kind == .responseKey || kind == .reason
        let lines = merged(rows(of: kind)) { [$0.place, $0.answer] }
        return markdown(
            [place] + (hasPlace ? [names] : []) + ["supported"],
            lines.map { key, names in
                // No key or type has a space.
                let names = names.map { kind != .reason && $0.contains(" ") ? $0 : code($0) }
                    .joined(separator: kind == .reason ? "; " : ", ")
                let isCode = kind == .reason || key[0].contains("/")
                return (hasPlace ? [isCode ? listed(key[0]) : key[0], names] : [names]) + [key[1]]
            })
    }

    private static func merged(
        _ rows: [SupportRow], by key: (SupportRow) -> [String]
    ) -> [(key: [String], names: [String])] {
        var lines: [(key: [String], names: [String])] = []
        for row in rows {
            if let index = lines.firstIndex(where: { $0.key == key(row) }) {
                lines[index].names += row.names.filter { !lines[index].names.contains($0) }
            } else {
                lines.append((key(row), row.names))
            }
        }
        return lines
    }

    private static func markdown(_ head: [String], _ lines: [[String]]) -> String {
        ([head, head.map { _ in "---" }] + lines).map { "| " + $0.joined(separator: " | ") + " |" }
            .joined(separator: "\n")
    }

    private static func listed(_ places: String) -> String {
        places.split(separator: ", ").map { code(String($0)) }.joined(separator: ", ")
    }

    private static func code(_ text: String) -> String { "`\(text.replacing("`", with: "'"))`" }
}
