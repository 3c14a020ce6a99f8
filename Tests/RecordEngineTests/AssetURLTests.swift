import RecordEngine
import RecordModel
import RecordWire
import Testing

extension ReceivedAsset {
    /// The parts of its URL, as a request has them.
    var url: (token: String, filename: String) {
        let parts = downloadURL.split(separator: "/").map(String.init)
        return (parts[1], parts.count > 2 ? parts[2] : "")
    }
}

@Suite struct AssetURLTests {
    @Test func `a URL opens its asset for every caller, but not with a byte changed`() async throws {
        let test = try TestDatabase()
        let asset = try await test.receive(sampleBytes(1), filename: "a.bin", contentType: "text/plain")
        let url = asset.url
        try test.reader.refresh()
        #expect(url.filename == "a.bin")
        let open = try test.reader.assets.open(token: url.token, filename: url.filename)
        #expect(try open.bytes() == sampleBytes(1))
        #expect(
            open.mediaType == "text/plain; charset=utf-8" && open.filename == "a.bin" && (open.secondsLeft ?? 0) > 3_000
        )
        let token = Array(url.token.utf8)
        for position in token.indices {
            for letter in ["A", "B", "_", "=", "%", " "].map({ Array($0.utf8)[0] }) where letter != token[position] {
                var changed = token
                changed[position] = letter
                let forged = String(decoding: changed, as: UTF8.self)
                #expect(
                    await rejection { _ = try test.reader.assets.open(token: forged, filename: "a.bin") }?.code
                        == .notFound,
                    "\(position)")
            }
        }
        let halves = [
            url.token + "A", String(url.token.dropLast()), "", String(url.token.dropFirst()), "é" + url.token,
        ]
        for forged in halves {
            #expect(
                await rejection { _ = try test.reader.assets.open(token: forged, filename: "a.bin") }?.code == .notFound
            )
        }
        for filename in ["", "b.bin", "a.bin ", "A.bin"] {
            #expect(
                await rejection { _ = try test.reader.assets.open(token: url.token, filename: filename) }?.code
                    == .notFound
            )
        }
    }

    @Test func `another database's URL opens nothing, though it has the content`() async throws {
        let (test, other) = (try TestDatabase(), try TestDatabase())
        let asset = try await test.receive(sampleBytes(1))
        try await other.upload(sampleBytes(1))
        let url = asset.url
        try test.reader.refresh()
        try other.reader.refresh()
        #expect(
            await rejection { _ = try other.reader.assets.open(token: url.token, filename: url.filename) }?.code
                == .notFound)
    }

    @Test func `a URL expires and says so`() async throws {
        var limits = DatabaseLimits()
        limits.assetURLSeconds = 0
        let test = try TestDatabase(limits: limits)
        let asset = try await test.receive(sampleBytes(1))
        let url = asset.url
        try test.reader.refresh()
        let error = await rejection { _ = try test.reader.assets.open(token: url.token, filename: url.filename) }
        #expect(error?.code == .notFound && error?.cause == .tokenExpired)
    }

    @Test func `the URL of a collected asset opens nothing`() async throws {
        var limits = DatabaseLimits()
        limits.unreferencedAssetSeconds = -1
        let test = try TestDatabase(limits: limits)
        let asset = try await test.receive(sampleBytes(1))
        let url = asset.url
        try test.reader.refresh()
        try await test.database.assets.collect()
        try test.reader.refresh()
        let error = await rejection { _ = try test.reader.assets.open(token: url.token, filename: url.filename) }
        #expect(error?.code == .notFound)
    }
}
