import HTTP
import RecordAPI
import RecordWire
import Testing

/// Every route for every kind of caller: who is let in, and that nobody learns what is not for them.
@Suite struct ScenarioMatrixTests {
    @Test func `every route has its rows, and every row speaks of every kind of caller`() {
        let routes = RouteTable.native.routes
        for route in routes { #expect(MatrixRow.all.contains { $0.route == "\(route.id)" }, "\(route.id) has no row") }
        var router = Router<Int>()
        for (index, route) in routes.enumerated() { router.add(route.name, index) }
        var met: Set<Int> = []
        for row in MatrixRow.all {
            // Words stand for names without a slash, but for those that are whole addresses.
            let target = row.target
                .replacingOccurrences("{assetPath}", "/assets/token/name")
                .replacingOccurrences("{asset}", "/assets/token/name").replacingOccurrences(
                    "{upload}", "/assets/uploads/x"
                )
                .replacingOccurrences("{", "").replacingOccurrences("}", "")
            guard let parsed = RequestTarget(target), case .found(let index, _, _) = router.match(row.method, parsed)
            else {
                Issue.record("\(row.description) is no route")
                continue
            }
            met.insert(index)
            #expect("\(routes[index].id)" == row.route, "\(row.description)")
            #expect(row.live.count == CallerKind.live.count, "\(row.description)")
            #expect(row.counts.map { $0.count == CallerKind.live.count } ?? true, "\(row.description)")
            for kind in CallerKind.allCases { #expect(row.status(for: kind) != nil, "\(row.description) \(kind)") }
        }
        for (index, route) in routes.enumerated() where !met.contains(index) {
            Issue.record("\(route.name) has no row")
        }
    }

    @Test(arguments: MatrixRow.all.indices)
    func `each caller is answered as the row says, and learns nothing that is not for it`(_ index: Int) async throws {
        let row = MatrixRow.all[index]
        let template = try await MatrixTemplate.shared.value
        var world = try MatrixWorld.fresh(of: template)
        for kind in CallerKind.allCases {
            let answer = try await world.call(row.method, row.target, row.body, as: kind, headers: row.headers)
            #expect(answer.status == row.status(for: kind), "\(row.description) \(kind): \(answer.text.prefix(600))")
            checkSecrets(answer, row, kind, template, world)
            if let count = row.count(for: kind) {
                #expect(answer.records.count == count, "\(row.description) \(kind): \(answer.text.prefix(600))")
                #expect((answer.json?["count"]?.integer).map { $0 == count } ?? true, "\(row.description) \(kind)")
            }
            if answer.status >= 400, row.method != .head {
                #expect(answer.json?["uuid"]?.string == "request-1" && answer.code != nil, "\(row.description) \(kind)")
            }
            if let twin = row.twin, answer.status >= 400, answer.status != 409 {
                try await compare(answer, row, kind, twin, world)
            }
            // What was written must not be there for the next caller.
            if answer.status < 300, row.method != .get, row.method != .head {
                await world.drop()
                world = try MatrixWorld.fresh(of: template)
            }
        }
        await world.drop()
    }

    /// Status line, header fields and body hold nothing that is not for the caller, unless the request itself said it.
    private func checkSecrets(
        _ answer: Answer, _ row: MatrixRow, _ kind: CallerKind, _ template: MatrixTemplate, _ world: MatrixWorld
    ) {
        var text = answer.text
        for (name, value) in answer.fields { text += "\n\(name): \(value)" }
        let asked = world.filled(row.target + (row.body ?? "") + row.headers.map(\.1).joined(separator: " "))
        for secret in template.secrets where !secret.knowers.contains(kind) && !row.shows.contains(secret.text) {
            if asked.contains(secret.text) || !text.contains(secret.text) { continue }
            Issue.record("\(row.description) tells \(kind) \(secret.text): \(text.prefix(600))")
        }
        if row.tellsTakenName, answer.status == 409 {
            #expect(answer.code == "EXISTS" && answer.json?["serverRecord"] == nil, "\(answer.text)")
            #expect(answer.field("ETag") == nil)
        }
    }

    /// For what is hidden the answer is that for what does not exist, byte by byte.
    private func compare(
        _ answer: Answer, _ row: MatrixRow, _ kind: CallerKind, _ twin: (hidden: String, missing: String),
        _ world: MatrixWorld
    ) async throws {
        func other(_ text: String) -> String { text.replacingOccurrences(twin.hidden, twin.missing) }
        let missing = try await world.call(
            row.method, other(row.target), row.body.map(other), as: kind,
            headers: row.headers.map { ($0.0, other($0.1)) })
        // A refusal that does not depend on the record may come for callers who read it.
        guard isHidden(twin.hidden, from: kind) else { return }
        #expect(missing.status == answer.status, "\(row.description) \(kind): \(answer.text) \(missing.text)")
        #expect(other(answer.text) == missing.text, "\(row.description) \(kind)")
        #expect(
            answer.fields.map { "\($0): \(other($1))" } == missing.fields.map { "\($0): \($1)" },
            "\(row.description) \(kind)")
    }

    private func isHidden(_ text: String, from kind: CallerKind) -> Bool {
        // Who writes a record without reading it knows that it is there.
        if text == "drop-1-kx88", kind == .member { return false }
        return MatrixSecret.fixed.first { $0.text == text }.map { !$0.knowers.contains(kind) } ?? true
    }
}

extension String {
    fileprivate func replacingOccurrences(_ part: String, _ other: String) -> String {
        split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
    }
}
