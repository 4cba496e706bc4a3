/// W13: how the time of one operation grows with the number of elements, further than the guard measures it.
func measureScale(_ recorder: Recorder) async throws {
    for growth in Growth.all {
        _ = try await growth.measure(growth.few)
        let few = try await growth.measure(growth.few)
        let most = try await growth.measure(growth.most)
        for (index, subject) in growth.subjects.enumerated() {
            let name = subject.key.replacing("growth", with: "W13", maxReplacements: 1)
            recorder.record(
                name, "\(subject.value), with \(growth.most) \(growth.elements); the floor: \(growth.few)",
                .microseconds, most[index] / 1000, floor: few[index] / 1000)
            recorder.record(
                "\(name).growth", "its exponent", .exponent, growth.exponent(few[index], most[index], growth.most))
        }
    }
}
