import RecordModel
import TestSupport
import Testing

@testable import RecordEngine

@Suite struct ChunkBuffersTests {
    private static func piece(_ count: Int) -> [UInt8] {
        var piece: [UInt8] = []
        piece.reserveCapacity(count)
        piece.append(contentsOf: repeatElement(7, count: count / 2))
        return piece
    }

    @Test func `returned memory is reused, and its old bytes are not visible`() {
        let buffers = ChunkBuffers(most: 2)
        let address = {
            let piece = Self.piece(256 << 10)
            buffers.giveBack(piece)
            return piece.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }()
        var again = buffers.take(256 << 10)
        #expect(again.isEmpty)
        #expect(again.capacity >= 256 << 10)
        again.append(1)
        #expect(again.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == address)
    }

    @Test func `an array that is still read is not overwritten`() {
        let buffers = ChunkBuffers(most: 2)
        let piece = Self.piece(128 << 10)
        buffers.giveBack(piece)
        var again = buffers.take(128 << 10)
        again.append(1)
        #expect(piece.allSatisfy { $0 == 7 })
    }

    @Test func `buffers of another size than a piece are freed`() {
        let buffers = ChunkBuffers(most: 4)
        buffers.giveBack(Self.piece(512 << 10))
        buffers.giveBack(Self.piece(64 << 10))
        #expect(buffers.take(128 << 10).capacity == 0)
        #expect(buffers.count == 0)
    }

    @Test func `at most the permitted number of buffers is kept, and no small ones`() {
        let buffers = ChunkBuffers(most: 2)
        for _ in 0..<3 { buffers.giveBack(Self.piece(64 << 10)) }
        #expect(buffers.count == 2)
        buffers.drop()
        buffers.giveBack(Self.piece(8 << 10))
        #expect(buffers.count == 0)
        #expect(buffers.take(8 << 10).capacity == 0)
    }

    @Test func `buffers are kept while an upload runs`() async throws {
        let test = try TestDatabase()
        let assets = test.database.assetStore
        let intake = try IncomingAsset(test.reader, uploader: 1)
        for _ in 0..<3 { try await intake.append(Self.piece(64 << 10)) }
        // The third waited for the second.
        #expect(assets.buffers.count >= 2)
        await intake.abort()
        #expect(assets.buffers.count == 0)
    }
}
