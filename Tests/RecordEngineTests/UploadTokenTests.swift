import Cryptography
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Which callers may write an asset into a field: those with its receipt, or all if the field already has the asset.
@Suite struct UploadTokenTests {
    private static let ann = Caller.user(16, roles: [:])
    private static let bob = Caller.user(17, roles: [:])
    private static let annsOwn = DatabaseAddress(scope: .privateDatabase(owner: 16))

    /// A database in which everybody may create and write posts.
    private static func open(limits: DatabaseLimits = DatabaseLimits()) async throws -> TestDatabase {
        let test = try TestDatabase(limits: limits)
        let asset = try await test.upload(sampleBytes(0))
        try await test.create("seed", #""file":\#(asset.json()),"files":[\#(asset.json())],"n":1"#)
        try await test.database.schemas.setGrants(
            Grants([.world: [.read, .write, .create]]), of: try #require(RecordTypeName("Post")))
        return test
    }

    private func isRejected(_ body: () async throws -> Void) async -> Bool {
        let error = await rejection(body)
        return error?.code == .badRequest && error?.cause == .tokenInvalid
    }

    @Test func `a value with its receipt is stored without it, and its bytes are read`() async throws {
        let test = try await Self.open()
        let asset = try await test.upload(sampleBytes(1), as: Self.ann, filename: "a b.bin")
        #expect(asset.fileChecksum == Digest(of: sampleBytes(1)).base64 && asset.size == 1_000)
        try await test.create("a", #""file":\#(asset.json())"#, as: Self.ann)
        #expect(try test.read("a").fields["file"] == .asset(asset.stored))
        #expect(try test.content("a") == sampleBytes(1))
        #expect(try test.assetTroubles() == [])
    }

    @Test func `checksum, size and receipt are enough`() async throws {
        let test = try await Self.open()
        let asset = try await test.upload(sampleBytes(1), filename: "name.txt", contentType: "text/plain")
        let short = Asset(fileChecksum: asset.fileChecksum, size: asset.size, receipt: asset.receipt)
        try await test.create("a", #""file":\#(short.json())"#)
        #expect(try test.read("a").fields["file"] == .asset(asset.stored))
    }

    @Test func `a receipt is valid only for its uploader and its database`() async throws {
        let test = try await Self.open()
        // Ann and Bob: a private database needs an account.
        for name in ["ann", "bob"] { _ = try await test.signUp(name) }
        let asset = try await test.upload(sampleBytes(1), as: Self.ann)
        let field = #""file":\#(asset.json())"#
        for caller in [Self.bob, .anonymous, .administrator(.bootstrap)] {
            #expect(await isRejected { try await test.create("x", field, as: caller) }, "\(caller)")
        }
        #expect(await isRejected { try await test.create("x", field, as: Self.ann, in: Self.annsOwn) })
        try await test.create("a", field, as: Self.ann)
        let own = try await test.upload(sampleBytes(2), as: Self.ann, in: Self.annsOwn)
        #expect(await isRejected { try await test.create("x", #""file":\#(own.json())"#, as: Self.ann) })
        let other = DatabaseAddress(scope: .privateDatabase(owner: 17))
        #expect(
            await isRejected {
                let mine = try await test.upload(sampleBytes(3), in: Self.annsOwn)
                try await test.create("x", #""file":\#(mine.json())"#, in: other)
            })
        try await test.create("x", #""file":\#(own.json())"#, as: Self.ann, in: Self.annsOwn)
        #expect(try test.content("x", as: Self.ann, in: Self.annsOwn) == sampleBytes(2))
        #expect(await rejection { try await test.upload(sampleBytes(4), as: Self.bob, in: Self.annsOwn) } != nil)
        #expect(await rejection { try await test.upload(sampleBytes(4), as: .anonymous, in: Self.annsOwn) } != nil)
        #expect(try test.assetTroubles() == [])
    }

    @Test func `nothing in the receipt of another database is trusted`() async throws {
        let (test, other) = (try await Self.open(), try await Self.open())
        let asset = try await other.upload(sampleBytes(1))
        try await test.upload(sampleBytes(1))
        #expect(await isRejected { try await test.create("x", #""file":\#(asset.json())"#) })
    }

    @Test func `a receipt with any byte changed is rejected`() async throws {
        let test = try await Self.open()
        let asset = try await test.upload(sampleBytes(1))
        let receipt = Array(try #require(asset.receipt).utf8)
        for position in receipt.indices {
            var changed = receipt
            changed[position] = changed[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            var forged = asset
            forged.receipt = String(decoding: changed, as: UTF8.self)
            #expect(await isRejected { try await test.create("x", #""file":\#(forged.json())"#) }, "\(position)")
        }
        for receipt in ["", "x", String(repeating: "A", count: 100_000)] {
            var forged = asset
            forged.receipt = receipt
            #expect(await isRejected { try await test.create("x", #""file":\#(forged.json())"#) })
        }
    }

    @Test func `a receipt is valid only for its content`() async throws {
        let test = try await Self.open()
        // Ann and Bob: a private database needs an account.
        for name in ["ann", "bob"] { _ = try await test.signUp(name) }
        let (first, second) = (try await test.upload(sampleBytes(1)), try await test.upload(sampleBytes(2)))
        var forged = first
        forged.receipt = second.receipt
        #expect(await isRejected { try await test.create("x", #""file":\#(forged.json())"#) })
        forged = first
        forged.fileChecksum = Digest(of: [9]).base64
        #expect(await isRejected { try await test.create("x", #""file":\#(forged.json())"#) })
    }

    @Test func `another size than the content's is rejected, with a receipt and without`() async throws {
        let test = try await Self.open()
        var asset = try await test.upload(sampleBytes(1))
        try await test.create("a", #""file":\#(asset.json())"#)
        for size in [0, 999, 1_001, Int64.max] {
            asset.size = size
            let fields = [asset.json(), asset.json(receipt: false)]
            for field in fields {
                #expect(await rejection { try await test.change("a", #""file":\#(field)"#) }?.code == .badRequest)
            }
        }
    }

    @Test func `an expired receipt is rejected`() async throws {
        var limits = DatabaseLimits()
        limits.unreferencedAssetSeconds = 0
        let test = try TestDatabase(limits: limits)
        let asset = try await test.upload(sampleBytes(1))
        #expect(await isRejected { try await test.create("x", #""file":\#(asset.json())"#) })
    }

    @Test func `a receipt may be used again while its content is there`() async throws {
        let test = try await Self.open()
        let asset = try await test.upload(sampleBytes(1))
        for name in ["a", "b"] { try await test.create(name, #""file":\#(asset.json())"#) }
        try await test.delete("a")
        try await test.create("c", #""file":\#(asset.json())"#)
        #expect(try test.assetTroubles() == [])
    }

    @Test func `without receipt a value is accepted only in the field that has it`() async throws {
        let test = try await Self.open()
        let asset = try await test.upload(sampleBytes(1), as: Self.ann)
        let echo = asset.json(receipt: false)
        try await test.create("a", #""file":\#(asset.json())"#, as: Self.ann)
        try await test.change("a", #""file":\#(echo),"n":2"#, as: Self.ann)
        // A caller that may write the record may send back its assets.
        try await test.change("a", #""file":\#(echo)"#, as: Self.bob)
        #expect(await isRejected { try await test.change("a", #""other":\#(echo)"#, as: Self.ann) })
        #expect(await isRejected { try await test.change("a", #""files":[\#(echo)]"#, as: Self.ann) })
        #expect(await isRejected { try await test.create("b", #""file":\#(echo)"#, as: Self.ann) })
        #expect(await isRejected { try await test.change("seed", #""file":\#(echo)"#, as: Self.ann) })
        #expect(await isRejected { try await test.create("b", #""file":{"setIfAbsent":\#(echo)}"#, as: Self.ann) })
        try await test.change("a", #""file":null"#, as: Self.ann)
        #expect(await isRejected { try await test.change("a", #""file":\#(echo)"#, as: Self.ann) })
        #expect(try test.assetTroubles() == [])
    }

    @Test func `a record that is created again under its name has none of its old assets`() async throws {
        let test = try await Self.open()
        let asset = try await test.upload(sampleBytes(1))
        try await test.create("a", #""file":\#(asset.json())"#)
        try await test.delete("a")
        #expect(await isRejected { try await test.create("a", #""file":\#(asset.json(receipt: false))"#) })
        #expect(try test.assetTroubles() == [])
    }

    @Test func `a value of the type ASSET creates its record type and field`() async throws {
        let test = try TestDatabase()
        let asset = try await test.upload(sampleBytes(1), as: Self.ann)
        try await test.create(
            "a", #""one":\#(asset.json()),"list":[\#(asset.json()),\#(asset.json())]"#, type: "New", as: Self.ann)
        try test.reader.refresh()
        let schema = try test.reader.schema[#require(RecordTypeName("New"))]
        #expect(schema?["one"]?.type == .asset && schema?["list"]?.type == .assetList)
        #expect(try test.content("a", "list", index: 1, type: "New") == sampleBytes(1))
        #expect(await rejection { _ = try test.content("a", "list", index: 2, type: "New") }?.code == .notFound)
        #expect(try test.assetTroubles() == [])
    }

    @Test func `an anonymous caller uploads where the world may create or write assets`() async throws {
        let test = try TestDatabase()
        #expect(
            await rejection { try await test.upload(sampleBytes(1), as: .anonymous) }?.code == .authenticationRequired)
        let asset = try await test.upload(sampleBytes(0))
        try await test.create("seed", #""file":\#(asset.json())"#)
        #expect(
            await rejection { try await test.upload(sampleBytes(1), as: .anonymous) }?.code == .authenticationRequired)
        try await test.database.schemas.setGrants(Grants([.world: [.create]]), of: try #require(RecordTypeName("Post")))
        try await test.upload(sampleBytes(1), as: .anonymous)
    }
}
