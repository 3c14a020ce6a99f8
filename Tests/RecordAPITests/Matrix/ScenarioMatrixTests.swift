import HTTP
import RecordAPI
import RecordWire
import Testing

/// Every route for every kind of caller: which callers are accepted, and that no caller learns a secret.
@Suite struct ScenarioMatrixTests {
    @Test func `every route has rows, and every row has a status for every kind of caller`() {
        let routes = RouteTable.native.routes
        for route in routes { #expect(MatrixRow.all.contains { $0.route == "\(route.id)" }, "\(route.id) has no row") }
        var router = Router<Int>()
        for (index, route) in routes.enumerated() { router.add(route.name, index) }
        var met: Set<Int> = []
        for row in MatrixRow.all {
            // Words represent names without a slash, except for words that are whole addresses.
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
    func `each caller gets the status of its row and learns no secret`(_ index: Int) async throws {
        let row = MatrixRow.all[index]
        let template = try await MatrixTemplate.shared.value
        var world = try MatrixWorld.fresh(of: template)
        for kind in CallerKind.allCases {
            let response = try await world.call(row.method, row.target, row.body, as: kind, headers: row.headers)
            #expect(
                response.status == row.status(for: kind), "\(row.description) \(kind): \(response.text.prefix(600))")
            checkSecrets(response, row, kind, template, world)
            if let count = row.count(for: kind) {
                #expect(response.records.count == count, "\(row.description) \(kind): \(response.text.prefix(600))")
                #expect((response.json?["count"]?.integer).map { $0 == count } ?? true, "\(row.description) \(kind)")
            }
            if response.status >= 400, row.method != .head {
                #expect(
                    response.json?["uuid"]?.string == "request-1" && response.code != nil, "\(row.description) \(kind)")
            }
            if let twin = row.twin, response.status >= 400, response.status != 409 {
                try await compare(response, row, kind, twin, world)
            }
            // The next caller must not find the records that this one has written.
            if response.status < 300, row.method != .get, row.method != .head {
                await world.drop()
                world = try MatrixWorld.fresh(of: template)
            }
        }
        await world.drop()
    }

    /// Status line, header fields and body hold nothing that is not for the caller, unless the request itself said it.
    private func checkSecrets(
        _ response: Response, _ row: MatrixRow, _ kind: CallerKind, _ template: MatrixTemplate, _ world: MatrixWorld
    ) {
        var text = response.text
        for (name, value) in response.fields { text += "\n\(name): \(value)" }
        let asked = world.filled(row.target + (row.body ?? "") + row.headers.map(\.1).joined(separator: " "))
        for secret in template.secrets where !secret.knowers.contains(kind) && !row.shows.contains(secret.text) {
            if asked.contains(secret.text) || !text.contains(secret.text) { continue }
            Issue.record("\(row.description) tells \(kind) \(secret.text): \(text.prefix(600))")
        }
        if row.tellsTakenName, response.status == 409 {
            #expect(response.code == "EXISTS" && response.json?["serverRecord"] == nil, "\(response.text)")
            #expect(response.field("ETag") == nil)
        }
    }

    /// The response for a hidden target equals the response for a missing target, byte by byte.
    private func compare(
        _ response: Response, _ row: MatrixRow, _ kind: CallerKind, _ twin: (hidden: String, missing: String),
        _ world: MatrixWorld
    ) async throws {
        func other(_ text: String) -> String { text.replacingOccurrences(twin.hidden, twin.missing) }
        let missing = try await world.call(
            row.method, other(row.target), row.body.map(other), as: kind,
            headers: row.headers.map { ($0.0, other($0.1)) })
        // A denial that does not depend on the record may also occur for callers that read it.
        guard isHidden(twin.hidden, from: kind) else { return }
        #expect(missing.status == response.status, "\(row.description) \(kind): \(response.text) \(missing.text)")
        #expect(other(response.text) == missing.text, "\(row.description) \(kind)")
        #expect(
            response.fields.map { "\($0): \(other($1))" } == missing.fields.map { "\($0): \($1)" },
            "\(row.description) \(kind)")
    }

    private func isHidden(_ text: String, from kind: CallerKind) -> Bool {
        // A caller with WRITE but not READ knows that the record exists.
        if text == "drop-1-kx88", kind == .member { return false }
        return MatrixSecret.fixed.first { $0.text == text }.map { !$0.knowers.contains(kind) } ?? true
    }
}

extension String {
    fileprivate func replacingOccurrences(_ part: String, _ other: String) -> String {
        split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
    }
}
