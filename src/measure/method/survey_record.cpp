#include "measure/method/survey_record.hpp"

namespace espalier::measure {

std::string pack(const std::vector<SurveyRecord>& records) {
    Packer packer;
    for (const SurveyRecord& record : records) {
        packer.put(record.kind);
        packer.put(record.from);
        packer.put(record.to);
        packer.put(record.costs.spread);
        packer.put(record.costs.noisy);
        packer.put(record.costs.complete);
        packer.put(record.costs.stretch);
        packer.put_all(record.costs.points);
    }
    return packer.bytes();
}

std::vector<SurveyRecord> unpack_records(const std::string& bytes) {
    std::vector<SurveyRecord> records;
    for (Unpacker unpacker(bytes); !unpacker.done();) {
        SurveyRecord record;
        record.kind = unpacker.take<LinkKind>();
        record.from = unpacker.take<std::size_t>();
        record.to = unpacker.take<std::size_t>();
        record.costs.spread = unpacker.take<double>();
        record.costs.noisy = unpacker.take<bool>();
        record.costs.complete = unpacker.take<bool>();
        record.costs.stretch = unpacker.take<double>();
        record.costs.points = unpacker.take_all<CostPoint>();
        records.push_back(std::move(record));
    }
    return records;
}

}  // namespace espalier::measure
