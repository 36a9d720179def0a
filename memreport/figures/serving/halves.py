"""Serving of models with an encoder and a decoder: which half works in which phase, and sound against its own time."""

from memreport.figures.constants import HALF, THREE, TWO
from memreport.figures.quantities import Count, PerSecond, Seconds, Share, Switch, Tokens
from memreport.figures.time.reached import above, below
from memreport.formula.recording import bound_line, figure
from memreport.formula.words import larger, where


@figure(
    "L_dec", source="HF modelling code: an encoder's layer has two, one with attention, a decoder's three, two with it"
)
def decoder_layers(is_encoder_decoder: Switch, num_attention_layers: Count, num_hidden_layers: Count) -> Count:
    """Layers of the decoder of such a model, which counts each sublayer as a layer; 0 for others."""
    return is_encoder_decoder * (TWO * num_attention_layers - num_hidden_layers)


@figure("L_enc")
def encoder_layers(is_encoder_decoder: Switch, num_attention_layers: Count, num_hidden_layers: Count) -> Count:
    """Layers of its encoder.  Source: as for the decoder."""
    return is_encoder_decoder * (TWO * num_hidden_layers - THREE * num_attention_layers)


@figure("x_dec", source="HF modelling code: the encoder, and keys and values of what it answers, work once a request")
def decode_layer_share(
    is_encoder_decoder: Switch,
    decoder_layers: Count,
    encoder_layers: Count,
    attention_layer_parameters: Count,
    dense_mlp_parameters: Count,
) -> Share:
    """Share of the layers' matrices that a decode step works with: all, or the decoder's without its cross keys."""
    return where(
        is_encoder_decoder > 0,
        decoder_layers
        * (attention_layer_parameters + HALF * attention_layer_parameters + dense_mlp_parameters)
        / larger(
            (encoder_layers + TWO * decoder_layers) * attention_layer_parameters
            + (encoder_layers + decoder_layers) * dense_mlp_parameters,
            1,
        ),
        1,
    )  # fmt: skip


@figure("x_pre")
def prefill_layer_share(is_encoder_decoder: Switch, decode_layer_share: Share) -> Share:
    """The same of a prefill: all, or what the decode steps leave.  Source: subtraction."""
    return where(is_encoder_decoder > 0, 1 - decode_layer_share, 1)


@figure("L_c", source="HF `EncoderDecoderCache`")
def cached_layers(is_encoder_decoder: Switch, decoder_layers: Count, attention_layers: Count) -> Count:
    """Layers that keep keys and values: of a decoder's layer, one attention those of the input, one of the answer."""
    return where(is_encoder_decoder > 0, decoder_layers, attention_layers)


@figure("L_l", source="counting")
def launched_layers(decoder_layers: Count, layers_per_stage: Count) -> Count:
    """Layers of a step, in layers of two sublayers, as most have; a decoder's beside an encoder has three."""
    return where(decoder_layers > 0, decoder_layers * THREE / TWO, layers_per_stage)


@figure("W_ph", family=True)
def phase_weights(layer_weights: Count, phase_layer_share: Share) -> Count:
    """Matrices of one kind that a phase works with.  Source: product."""
    return layer_weights * phase_layer_share


@figure("n_ph", family=True)
def phase_launches(layer_launches: Count, phase_layer_share: Share) -> Count:
    """Kernels of one kind that a phase launches.  Source: product."""
    return layer_launches * phase_layer_share


@figure("T_ph", family=True)
def phase_tokens(step_of_tokens: Tokens, phase_layer_share: Share) -> Tokens:
    """Tokens of a phase, in the mean of all layers.  Source: product."""
    return step_of_tokens * phase_layer_share


@figure("v_snd", basis="measured", title="Seconds of sound per second", shown=("main",), scope="all GPUs")
def sound_per_second(audio_seconds: Seconds, full_load_requests_per_second: PerSecond) -> Count:
    """How many times real time all GPUs hear sound at full load, and so how many streams; 0 for models of text.

    Source: product; its inverse is the real-time factor.
    """
    return audio_seconds * full_load_requests_per_second


@figure("v_snd_low", basis="measured", scope="all GPUs")
def sound_per_second_low(sound_per_second: Count, served_time_error: Share) -> Count:
    """Low end of it.  Source: errors on measured points."""
    return below(sound_per_second, served_time_error)


@figure("v_snd_high", basis="measured", scope="all GPUs")
def sound_per_second_high(sound_per_second: Count, served_time_error: Share) -> Count:
    """High end of it.  Source: errors on measured points."""
    return above(sound_per_second, served_time_error)


OF_WEIGHTS = ("qkv_projection_weights", "output_projection_weights", "plain_mlp_weights")
OF_LAUNCHES = (
    *("qkv_launches", "output_projection_launches", "mlp_launches", "norm_launches", "pointwise_launches"),
    "rank_attention_layers",
)
PHASES = ("prefill", "decode")


def _of_phase(phase: str, share: str = "phase_layer_share") -> dict[str, str]:
    return {share: f"{phase}_layer_share"}


LINES = tuple(
    line
    for phase in PHASES
    for line in (
        *(
            bound_line(f"{name}.{phase}", phase_weights, {"layer_weights": name} | _of_phase(phase))
            for name in OF_WEIGHTS
        ),
        *(
            bound_line(f"{name}.{phase}", phase_launches, {"layer_launches": name} | _of_phase(phase))
            for name in OF_LAUNCHES
        ),
        bound_line(f"layer_tokens.{phase}", phase_tokens, {"step_of_tokens": f"{phase}_tokens"} | _of_phase(phase)),
    )
)
