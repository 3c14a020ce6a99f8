import Testing

@testable import fogbase

@Suite struct QuantityTests {
    @Test(arguments: [
        ("0", 0), ("512", 512), ("512B", 512), ("64KiB", 65_536), ("64 kib", 65_536), ("16MiB", 16_777_216),
        ("2GiB", 2_147_483_648), ("5kB", 5_000), ("5MB", 5_000_000), ("5GB", 5_000_000_000),
    ])
    func `a size is read with its unit`(text: String, bytes: Int) {
        #expect(ByteCount.parse(text) == bytes)
    }

    @Test(arguments: ["", "MiB", "-1", "+1", "1.5MiB", "1 2", "1TiB", "1M", "0x10", "99999999999GiB", "٣"])
    func `any other text is rejected as a size`(text: String) {
        #expect(ByteCount.parse(text) == nil)
    }

    @Test(arguments: [0, 1, 1_023, 1_024, 1_400, 65_536, 16 << 20, 3 << 30])
    func `a size that is shown reads back the same`(bytes: Int) {
        #expect(ByteCount.parse(ByteCount.show(bytes)) == bytes)
    }

    @Test(arguments: [(100, "100 bytes"), (1_536, "1.5 KiB"), (2 << 20, "2 MiB"), (500 << 20, "500 MiB")])
    func `a size for people is rounded`(bytes: Int, text: String) {
        #expect(ByteCount.showRounded(bytes) == text)
    }

    @Test(arguments: [
        ("250ms", Duration.milliseconds(250)), ("30s", .seconds(30)), ("5m", .seconds(300)), ("1h", .seconds(3_600)),
        ("2d", .seconds(172_800)), ("0s", .zero),
    ])
    func `a time is read with its unit`(text: String, duration: Duration) {
        #expect(DurationText.parse(text) == duration)
    }

    @Test(arguments: ["", "30", "s", "1.5s", "-1s", "1w", "5 minutes"])
    func `any other text is rejected as a time, also a number without unit`(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(arguments: [Duration.milliseconds(1), .milliseconds(1_500), .seconds(75), .seconds(60), .seconds(86_400)])
    func `a time that is shown reads back the same`(duration: Duration) {
        #expect(DurationText.parse(DurationText.show(duration)) == duration)
    }
}
