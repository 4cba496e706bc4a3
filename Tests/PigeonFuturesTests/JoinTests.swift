import PigeonFutures
import TestSupport
import Testing

@Suite("Joins")
struct JoinTests {
    private let told = Recorder<String>()

    private func value<T>(_ value: T) -> ResponseFuture<T> { ResponseFuture(result: value) }

    @Test("values of joins stand side by side", .rule("PiuPiu P19"))
    func flat() async throws {
        let series = value(1)
            .join { one -> ResponseFuture<Int> in value(one + 1) }
            .join { one, two -> ResponseFuture<String> in value("\(one) \(two)") }
        let (one, two, three) = try await series.value
        #expect((one, two, three) == (1, 2, "1 2"))
        let parallel = value(1).join { value(true) }.join { value("last") }
        let (first, second, third) = try await parallel.value
        #expect(first == 1 && second && third == "last")
    }

    @Test("values stand side by side after each kind of join in series", .rule("PiuPiu P19"))
    func flatSeries() async throws {
        let pair = value(1).join { value(2) }
        let plain = try await pair.seriesJoin { one, two -> ResponseFuture<Int> in value(one + two) }.value
        #expect(plain == (1, 2, 3))
        let safe = try await pair.safeSeriesJoin { one, two -> ResponseFuture<Int> in value(one + two) }.value
        #expect(safe.0 == 1 && safe.1 == 2)
        #expect(try safe.2.get() == 3)
        let nullable = try await pair.safeSeriesNullableJoin { one, two -> ResponseFuture<Int> in
            value(one + two)
        }.value
        #expect(nullable.0 == 1 && nullable.1 == 2)
        #expect(try nullable.2?.get() == 3)
    }

    @Test("In series, the second is started after the first")
    func series() async throws {
        let (told, gate) = (told, Gate())
        let future = ResponseFuture<Int>(operation: { _ in
            await gate.wait()
            told.append("one")
            return 1
        }).seriesJoin { one in
            ResponseFuture<Int>(operation: { _ in
                told.append("two")
                return one + 1
            })
        }.start()
        #expect(told.all == [])
        gate.open()
        #expect(try await future.value == (1, 2))
        #expect(told.all == ["one", "two"])
    }

    @Test("In parallel, both are started at once")
    func parallel() async throws {
        let gates = (Gate(), Gate())
        let future = ResponseFuture<Int>(operation: { _ in
            gates.0.open()
            await gates.1.wait()
            return 1
        }).parallelJoin {
            ResponseFuture<Int>(operation: { _ in
                await gates.0.wait()
                gates.1.open()
                return 2
            })
        }
        #expect(try await future.value == (1, 2))
    }

    @Test(
        "in parallel, the first that fails ends the whole and cancels the other", .rule("PiuPiu N8"), arguments: [0, 1])
    func failsFast(_ failing: Int) async {
        let (stopped, started) = (Gate(), Gate())
        let endless = ResponseFuture<Int>(operation: { _ in
            started.open()
            await Gate().wait()
            stopped.open()
            return 1
        })
        let failed = ResponseFuture<Int>(operation: { _ in
            await started.wait()
            throw Failure()
        })
        let future = failing == 0 ? failed.join { endless } : endless.join { failed }
        await #expect(throws: Failure()) { _ = try await future.value }
        await stopped.wait()
        #expect(endless.status == .cancelled)
    }

    @Test("Nullable joins have nil where there is no future")
    func nullable() async throws {
        let none: @Sendable () -> ResponseFuture<Int>? = { nil }
        let (a, one, two) = try await value("a").seriesNullableJoin { _ in none() }.parallelNullableJoin { none() }
            .value
        #expect(a == "a" && one == nil && two == nil)
        let (b, three, four) = try await value("b").safeSeriesNullableJoin { _ in none() }
            .safeParallelNullableJoin { none() }.value
        #expect(b == "b" && three == nil && four == nil)
        let (_, _, five) = try await value("c").seriesNullableJoin { _ in none() }
            .seriesNullableJoin { _, _ in value(5) }.value
        #expect(five == 5)
        let others = try await value(1).parallelNullableJoin { value(2) }.safeParallelNullableJoin { value(3) }.value
        #expect(others.0 == 1 && others.1 == 2)
        #expect(try others.2?.get() == 3)
    }

    @Test("Safe joins have the error of the other future as a value")
    func safe() async throws {
        let failing: @Sendable () -> ResponseFuture<Int> = { ResponseFuture { _ in throw Failure() } }
        let (one, two, three) = try await value(1).safeSeriesJoin { _ in failing() }.safeParallelJoin { failing() }
            .value
        #expect(one == 1)
        #expect(throws: Failure()) { try two.get() }
        #expect(throws: Failure()) { try three.get() }
        await #expect(throws: Failure()) { _ = try await failing().safeParallelJoin { failing() }.value }
    }

    @Test("The 1.8 spelling names the type")
    func typed() async throws {
        let future = value(1).seriesJoin(String.self) { value("\($0)") }.parallelJoin(Bool.self) { value(true) }
        let (one, two, three) = try await future.value
        #expect(one == 1 && two == "1" && three)
    }

    @Test("Elements are added one after the other, or side by side")
    func adding() async throws {
        var future = value([0])
        for number in 1...3 { future = future.addingSeriesResult { elements in value(elements.count * number) } }
        for number in 4...5 { future = future.addingParallelResult { value(number) } }
        #expect(try await future.value == [0, 1, 4, 9, 4, 5])
    }

    @Test("A future in a join may have been started, or have ended, before")
    func started() async throws {
        let shared = value(2).start()
        #expect(try await shared.join { shared }.join { _, _ in shared }.value == (2, 2, 2))
    }
}
