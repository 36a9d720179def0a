"""Fields of what is trained beside a frozen base, other than the low-rank adapters on its matrices themselves."""

from __future__ import annotations

from pydantic import field_validator

from memreport.catalogue.fields.dictionary import DEEPEST, WIDEST, choice, listed, switch, tokens, whole
from memreport.catalogue.fields.training_memory import TrainingMemoryFields
from memreport.catalogue.words.target_modules import ExpertMatrix, WholeModule, whole_modules


class AdapterFields(TrainingMemoryFields):
    """Options of PEFT's `LoraConfig` beside rank, targets and dropout."""

    target_parameters: tuple[ExpertMatrix, ...] = listed(
        (),
        "matrices of the routed experts that get an adapter for each expert",
        {"lora_experts_gate_up": "mlp.experts.gate_up_proj", "lora_experts_down": "mlp.experts.down_proj"},
    )
    modules_to_save: tuple[WholeModule, ...] = listed(
        (),
        "modules that are trained whole beside the adapters, each as a copy of the frozen one",
        {"saves_embed_tokens": "embed_tokens", "saves_lm_head": "lm_head", "saves_norms": "norms"},
    )
    saved_parameters: float = whole(
        0, "parameters of other modules that are trained whole, as a projector", source="PEFT modules_to_save"
    )
    trained_rows: float = whole(
        0, "rows of the embedding that are trained alone", source="PEFT trainable_token_indices"
    )
    use_dora: bool = switch(False, "adapters with a trained magnitude for each output (DoRA)", "PEFT LoraConfig")
    trains_every_bias: bool = switch(False, "all biases are trained, too", "PEFT bias: all")
    trains_adapted_biases: bool = switch(False, "biases of adapted matrices are trained, too", "PEFT bias: lora_only")
    peft_type: str = choice("lora", "peft_types", "what is trained beside the frozen base under lora and qlora")
    transformed_layers: float = whole(
        0, "layers whose matrices are adapted, 0 for all", le=DEEPEST, source="PEFT layers_to_transform"
    )
    lowest_transformed_layer: float = whole(
        0, "layers below the lowest of them, which keep nothing", le=DEEPEST, source="PEFT layers_to_transform"
    )
    num_virtual_tokens: float = tokens(
        20, "virtual tokens of prompt tuning, p-tuning or prefix tuning", ge=1, source="PEFT"
    )
    encoder_hidden_size: float = whole(
        0, "width inside the encoder of prompts, 0 for that of a token", le=WIDEST, source="PEFT PromptEncoderConfig"
    )
    prefix_projection: bool = switch(False, "two matrices make the prefix of embeddings", "PEFT PrefixTuningConfig")
    oft_block_size: float = whole(32, "width of the blocks that OFT rotates", ge=2, le=WIDEST, source="PEFT OFTConfig")

    @field_validator("modules_to_save", mode="after")
    @classmethod
    def as_modules(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names of any family become the modules they stand for."""
        return whole_modules(names)
