import HTTP
import RecordEngine
import RecordWire
import Testing

@testable import RecordAPI

@Suite struct MetricsHistoryTests {
    /// The text of `/metrics` after some requests.
    private static func text(good: Int, denied: Int = 0, throttled: Int = 0, failed: Int = 0, slow: Int = 0) -> [UInt8]
    {
        let all = good + denied + throttled + failed
        return Array(
            """
            # HELP fogbase_http_connections Open connections.
            fogbase_http_connections 7.0
            fogbase_feed_streams{container="a",environment="development"} 2.0
            fogbase_feed_streams{container="a",environment="production"} 3.0
            process_cpu_seconds_total \(Double(all) / 100)
            fogbase_http_requests_total{route="GET /records/{type}/{name}",status="200"} \(good)
            fogbase_http_requests_total{route="GET /records/{type}/{name}",status="403"} \(denied)
            fogbase_http_requests_total{route="PUT /records/{type}/{name}",status="429"} \(throttled)
            fogbase_http_requests_total{route="PUT /records/{type}/{name}",status="500"} \(failed)
            fogbase_http_request_duration_seconds_bucket{route="a, \"b\"",le="0.001"} \(all - slow)
            fogbase_http_request_duration_seconds_bucket{route="a, \"b\"",le="0.01"} \(all)
            fogbase_http_request_duration_seconds_bucket{route="a, \"b\"",le="+Inf"} \(all)

            """.utf8)
    }

    private static func value(_ name: String, _ point: MetricsHistory.Point) -> Double? {
        MetricsReading.series.firstIndex(of: name).flatMap { point.values[$0] }
    }

    @Test func `a point has the rates since the last one, and the state of gauges`() throws {
        let history = MetricsHistory()
        history.add(MetricsReading(Self.text(good: 100), at: 1_000))
        #expect(history.points(.hour).isEmpty)
        history.add(MetricsReading(Self.text(good: 200, denied: 10, throttled: 20, failed: 5, slow: 13), at: 11_000))
        let point = try #require(history.points(.hour).first)
        #expect(point.timestamp == 11_000)
        for (name, expected) in [
            ("requests", 13.5), ("refused", 1), ("throttled", 2), ("failed", 0.5), ("connections", 7), ("streams", 5),
            ("writes", 0), ("databaseBytes", 0),
        ] {
            #expect(Self.value(name, point) == expected, "\(name)")
        }
        #expect(abs((Self.value("processors", point) ?? 0) - 0.135) < 1e-9)
        // Half of the requests took at most as long as 67.5 of the 122 in the first bucket.
        #expect(abs((Self.value("median", point) ?? 0) - 67.5 / 122) < 1e-9)
        #expect(abs((Self.value("p99", point) ?? 0) - (1 + (133.65 - 122) / 13 * 9)) < 1e-6)
    }

    @Test func `a response that asks to wait for an index is no failure`() throws {
        let history = MetricsHistory()
        func text(_ failed: Int, waits: Int) -> [UInt8] {
            Self.text(good: 100, failed: failed) + Array("fogbase_http_index_waits_total \(waits)\n".utf8)
        }
        history.add(MetricsReading(text(10, waits: 4), at: 0))
        history.add(MetricsReading(text(30, waits: 14), at: 10_000))
        #expect(Self.value("failed", try #require(history.points(.hour).last)) == 1)
        history.add(MetricsReading(text(40, waits: 24), at: 20_000))
        #expect(Self.value("failed", try #require(history.points(.hour).last)) == 0)
    }

    @Test func `waits for an index are counted, and other failures are not`() async throws {
        let database = try await TestDatabase.make()
        let schema = await database.call(
            .put, "/schema", as: .administrator, body: #"{"types":{"Post":{"fields":{"n":{"type":"INT64"}}}}}"#)
        try #require(schema.status == 200, "\(schema.text)")
        // More records than a request gives an index itself.
        for batch in 0..<26 {
            let operations = (0..<200).map {
                #"{"operationType":"create","record":{"recordType":"Post","recordName":"r\#(batch * 200 + $0)","fields":{"n":\#($0)}}}"#
            }
            let made = await database.call(
                .post, "/records", as: .administrator,
                body: #"{"operations":[\#(operations.joined(separator: ","))]}"#)
            try #require(made.status == 200, "\(made.text)")
        }
        func waits() -> String? {
            String(decoding: OperationRoutes.metricsText(database.api), as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix("fogbase_http_index_waits_total") }?.split(separator: " ").last.map(String.init)
        }
        #expect(waits() == "0")
        let response = await database.call(.get, "/query/Post?where=n%20%3E%205", as: .administrator)
        #expect(response.status == 503 && response.text.contains("INDEX_BUILDING"), "\(response.text)")
        #expect(waits() == "1")
        await database.call(.get, "/records/Post/none", as: .administrator)
        #expect(waits() == "1")
    }

    @Test func `without requests there is no duration, and above all bounds only the last bound is known`() throws {
        let history = MetricsHistory()
        let text = Self.text(good: 10)
        history.add(MetricsReading(text, at: 0))
        history.add(MetricsReading(text, at: 10_000))
        #expect(Self.value("median", try #require(history.points(.hour).last)) == nil)
        var slow = String(decoding: Self.text(good: 20, slow: 10), as: UTF8.self)
        slow.replace("le=\"0.01\"} 20", with: "le=\"0.01\"} 10")
        history.add(MetricsReading(Array(slow.utf8), at: 20_000))
        #expect(Self.value("p99", try #require(history.points(.hour).last)) == 10)
    }

    @Test func `an hour has a point each 10 seconds, a day each 5 minutes, and old ones go`() {
        let history = MetricsHistory()
        for second in stride(from: Int64(0), through: 86_400 + 7_200, by: 10) {
            // Readings come a little early or late.
            let jitter = second % 30 - 10
            history.add(MetricsReading(Self.text(good: Int(second)), at: second * 1_000 + jitter * 10))
        }
        let (hour, day) = (history.points(.hour), history.points(.day))
        #expect(hour.count == 360 && day.count == 288)
        for points in [hour, day] {
            for (earlier, later) in zip(points, points.dropFirst()) {
                let distance = later.timestamp - earlier.timestamp
                #expect(abs(distance - (points.count == 360 ? 10_000 : 300_000)) <= 600)
                #expect(abs((Self.value("requests", later) ?? 0) - 1) < 0.1)
            }
        }
        // A clock that was set back adds no point with negative rates.
        history.add(MetricsReading(Self.text(good: 5), at: 1_000))
        #expect(history.points(.hour).last == nil || history.points(.hour).last?.timestamp == hour.last?.timestamp)
    }

    @Test func `the routes show the history, the settings and the sizes`() async throws {
        let database = try await TestDatabase.make {
            $0.settings = [
                EffectiveSetting(
                    key: "server.port", value: "8080", source: "default", isDefault: true, help: "the port")
            ]
        }
        database.api.keepMetrics()
        for number in 0..<30 {
            await database.call(
                .put, "/records/Post/p\(number)", as: .administrator, body: #"{"fields":{"title":"text \#(number)"}}"#)
        }
        await database.call(.put, "/records/Note/n", as: .administrator, body: #"{"fields":{"a":1}}"#)
        await database.call(.delete, "/records/Post/p0", as: .administrator)
        await database.play([
            Scenario(
                "history", .administrator, .get, "/metrics/history", 200, contains: [#""interval":10000"#, #""p99":["#]),
            Scenario(
                "day", .administrator, .get, "/metrics/history?period=day", 200, contains: [#""interval":300000"#]),
            Scenario(
                "bad period", .administrator, .get, "/metrics/history?period=week", 400, contains: ["hour or day"]),
            Scenario(
                "settings", .administrator, .get, "/settings", 200,
                contains: [
                    #"{"key":"server.port","value":"8080","source":"default","isDefault":true,"help":"the port"}"#
                ]),
        ])
        let storage = await database.call(.get, "/storage", as: .administrator)
        #expect(storage.status == 200 && storage.json?["relation"]?.string == "exact", "\(storage.text)")
        let types = storage.json?["types"]?.array ?? []
        let records = Dictionary(uniqueKeysWithValues: types.map { ($0["name"]?.string ?? "", $0["records"]) })
        #expect(records["Post"] == .integer(29) && records["Note"] == .integer(1))
        #expect(storage.json?["records"] != .integer(0))
    }
}
